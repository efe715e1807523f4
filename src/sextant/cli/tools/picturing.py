"""The command that draws the tool graph: one page that needs nothing else, and no network."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import typer

from sextant.cli.shared.console import (
    JsonOption,
    StoreOption,
    flag,
    note,
    operator,
    out,
    print_json,
    run,
    settings,
    typed_exit,
)
from sextant.cli.tools.group import TenantOption, app, with_toolbox
from sextant.errors import Conflict, InvalidInput
from sextant.text.markdown import printable
from sextant.types import Tool, ToolLink, ToolRelation

_MOST_TOOLS, _MOST_RELATIONS = 5_000, 20_000
"""What a browser lays out and draws within seconds."""
_LONGEST = 300
_DATA = "__GRAPH__"
_PAGE = "graph.html"


@app.command("graph")
def draw_graph(
    file: Annotated[Path, typer.Option("--out", "-o", help="The page to write.")],
    force: Annotated[bool, flag("--force", help="Write over a file that is there.")] = False,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Draw the tool graph as one HTML page to explore, which needs no network.

    Zoom, pan, hover for details, click to focus a tool, search, filter by category and kind. Of
    more than 5,000 tools, those with the most relations and uses are drawn.

    Example: `sextant tools graph --out graph.html`
    """
    chosen, scope = settings(store), operator(tenant)
    with typed_exit():
        if file.exists() and not force:
            raise Conflict(f"{file.name} exists already.", "Name a new file, or use --force.")
    tools, relations = run(with_toolbox(chosen, scope, lambda toolbox: toolbox.tool_graph(scope)))
    shown, edges = choose_shown(tools, relations)
    with typed_exit():
        _write(file, graph_page(shown, edges))
    counts = {"file": str(file), "tools": len(shown), "relations": len(edges)}
    if as_json:
        print_json(counts)
        return
    out.print(
        f"Drew {len(shown):,} tools and {len(edges):,} relations: {file}",
        highlight=False,
        soft_wrap=True,
        markup=False,
    )
    if len(shown) < len(tools) or len(edges) < len(relations):
        missing = f"{len(tools) - len(shown):,} tools and {len(relations) - len(edges):,} relations"
        note(f"{missing} are left out, so that a browser can draw it.")


def choose_shown(
    tools: Sequence[Tool], relations: Sequence[ToolRelation]
) -> tuple[list[Tool], list[ToolRelation]]:
    """Return what is drawn: the tools with the most relations and uses, the surest relations."""
    degree = Counter(end for one in relations for end in (one.source, one.target))
    ranked = sorted(tools, key=lambda tool: (-degree[tool.id], -tool.usage, tool.id))
    shown = sorted(ranked[:_MOST_TOOLS], key=lambda tool: tool.id)
    ids = {tool.id for tool in shown}
    inside = [one for one in relations if one.source in ids and one.target in ids]
    inside.sort(key=lambda one: (-(1.0 if one.confidence is None else one.confidence), one.key))
    return shown, inside[:_MOST_RELATIONS]


def graph_page(tools: Sequence[Tool], relations: Sequence[ToolRelation]) -> str:
    """Return the page. Nothing in the data can end the script that it stands in."""
    places = {tool.id: place for place, tool in enumerate(tools)}
    categories = sorted({tool.category for tool in tools})
    kinds = [kind.value for kind in ToolLink]
    data = {
        "categories": [printable(one) or "no category" for one in categories],
        "kinds": kinds,
        "tools": [_node(tool, categories.index(tool.category)) for tool in tools],
        "relations": [
            [
                places[one.source],
                places[one.target],
                kinds.index(one.kind.value),
                one.confidence,
                one.origin.value,
                printable(one.reason)[:_LONGEST],
            ]
            for one in relations
        ],
    }
    told = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    inside = told.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    page = (files("sextant") / "cli" / "tools" / _PAGE).read_text(encoding="utf-8")
    return page.replace(_DATA, inside)


def _node(tool: Tool, category: int) -> list[Any]:
    return [
        printable(tool.id),
        printable(tool.name),
        category,
        printable(tool.description)[:_LONGEST],
        printable(tool.server),
        tool.usage,
        ", ".join(tool.flags),
    ]


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(
            f"{file.name} cannot be written: {error.strerror}.", "Name another folder."
        ) from None
