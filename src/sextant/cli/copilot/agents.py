"""Commands that say who can answer in a chat, and whether they can now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

import typer
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from sextant import build
from sextant.chat.parts import CopilotPart
from sextant.cli.shared.console import (
    JsonOption,
    cut,
    operator,
    out,
    print_json,
    run,
    settings,
    show_table,
)
from sextant.cli.shared.questions import LlmOption
from sextant.settings import Settings
from sextant.text.markdown import printable

app = typer.Typer(
    no_args_is_help=True, help="Say who can answer in a chat, what each can do, and what fails."
)


@app.command("list")
def list_agents(llm: LlmOption = None, as_json: JsonOption = False) -> None:
    """List agents, actions of the server, servers of tools, guardrails and remote endpoints.

    Of actions it says which wait for a person, and of `chat.approve` what its patterns fit.

    Only remote endpoints are asked for something: who is there.

    Example: `sextant agents list`
    """
    _show(run(_parts(settings(None, llm), tried=False)), as_json=as_json)


@app.command()
def check(llm: LlmOption = None, as_json: JsonOption = False) -> None:
    """Try all that `list` shows: servers list their tools, guardrails answer, models are set.

    A pattern of `chat.approve` that fits nothing fails, too.

    Exits with 1 if one of them fails. Whether a model answers is said by `sextant llm check`.

    Example: `sextant agents check`
    """
    parts = run(_parts(settings(None, llm), tried=True))
    _show(parts, as_json=as_json)
    faults = sum(bool(one.fault) for one in parts)
    if not as_json:
        found = f"{faults} of {len(parts)} cannot be used." if faults else "All can be used."
        out.print(escape(found), highlight=False)
    raise typer.Exit(int(faults > 0))


async def _parts(chosen: Settings, *, tried: bool) -> Sequence[CopilotPart]:
    # Who is there does not depend on what is known, and nobody who looks makes a store.
    async with await build.open_sextant(replace(chosen, store="memory:", index="")) as sextant:
        return await sextant.copilot.parts(operator(chosen.serve.tenant), tried=tried)


def _show(parts: Sequence[CopilotPart], *, as_json: bool) -> None:
    if as_json:
        print_json([asdict(one) for one in parts])
        return
    table = Table("kind", "name", "what it does", box=None)
    for one in parts:
        told = Text(f"{one.fault} {one.hint}".strip(), "red") if one.fault else one.description
        shown = told if isinstance(told, Text) else Text(cut(printable(told)))
        if one.needs_approval:
            shown.append(" (waits for a person)", "yellow")
        table.add_row(one.kind.value, Text(printable(one.name)), shown)
    show_table(table)
