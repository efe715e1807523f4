"""Commands that look at tools: one, all of them, their weight, their groups, their numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from sextant.cli.shared.console import (
    JsonOption,
    StoreOption,
    cut,
    note,
    operator,
    print_json,
    run,
    settings,
    show_table,
)
from sextant.cli.shared.rendering import line
from sextant.cli.tools.group import TenantOption, ToolIdArgument, app, with_toolbox
from sextant.text.codec.encode import plain_of
from sextant.text.codec.json_bytes import shown_json
from sextant.types import Tool, ToolRelation, ToolStats

_SHOWN = 8


@app.command("list")
def list_tools(
    after: Annotated[str, typer.Option(help="Start after this id, to page on.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=1_000)] = 50,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """List tools by id, a page at a time.

    Example: `sextant tools list --after github.v2.createPR --limit 20`
    """
    chosen, scope = settings(store), operator(tenant)
    found = run(
        with_toolbox(chosen, scope, lambda toolbox: toolbox.list_tools(scope, after, limit))
    )
    if as_json:
        print_json(plain_of(list(found)))
        return
    table = Table(
        Column("id", overflow="fold"),
        "category",
        "server",
        "used",
        "description",
        box=None,
        header_style="bold",
    )
    for one in found:
        row = (one.id, one.category, one.server, f"{one.usage:,}", cut(one.description))
        table.add_row(*map(escape, row))
    show_table(table, "There are no more.")
    if len(found) == limit:
        note(f"For the next ones: --after {found[-1].id}")


@app.command("show")
def show_tool(
    tool: ToolIdArgument,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a tool: its description, its schema, and how it is related.

    Example: `sextant tools show github.createPullRequest`
    """
    chosen, scope = settings(store), operator(tenant)
    found, relations = run(
        with_toolbox(chosen, scope, lambda toolbox: toolbox.show_tool(scope, tool))
    )
    if as_json:
        print_json({**plain_of(found), "relations": plain_of(list(relations))})
        return
    _show_tool(found)
    for one in relations:
        show_relation(one)


@app.command("rank")
def rank_tools(
    limit: Annotated[int, typer.Option(min=1, max=1_000)] = 20,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rank tools by PageRank: those that others lead to most.

    Example: `sextant tools rank --limit 10`
    """
    chosen, scope = settings(store), operator(tenant)
    found = run(with_toolbox(chosen, scope, lambda toolbox: toolbox.rank_tools(scope, limit)))
    if as_json:
        print_json([{"id": tool.id, "rank": rank} for tool, rank in found])
        return
    table = Table(Column("id", overflow="fold"), "rank", box=None, header_style="bold")
    for tool, rank in found:
        table.add_row(escape(tool.id), f"{rank:.4f}")
    show_table(table)


@app.command("communities")
def list_communities(
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """List groups of tools that belong together, the largest first.

    Example: `sextant tools communities`
    """
    chosen, scope = settings(store), operator(tenant)
    found = run(with_toolbox(chosen, scope, lambda toolbox: toolbox.tool_communities(scope)))
    if as_json:
        print_json([list(one) for one in found])
        return
    table = Table("tools", Column("ids", overflow="fold"), box=None, header_style="bold")
    for group in found:
        more = f" and {len(group) - _SHOWN:,} more" if len(group) > _SHOWN else ""
        table.add_row(f"{len(group):,}", escape(", ".join(group[:_SHOWN]) + more))
    show_table(table)


@app.command("stats")
def show_stats(
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Count the tools, how they are related, and which are used most.

    Example: `sextant tools stats --json`
    """
    chosen, scope = settings(store), operator(tenant)
    found = run(with_toolbox(chosen, scope, lambda toolbox: toolbox.graph_stats(scope)))
    if as_json:
        print_json(plain_of(found))
        return
    _show_stats(found)


def show_relation(relation: ToolRelation) -> None:
    """Print how two tools belong together, and what is known of that."""
    known = [
        f"{relation.confidence:.2f}" if relation.confidence is not None else "",
        "optional" if not relation.required else "",
        f"{relation.seconds_between:,.0f} s" if relation.seconds_between is not None else "",
        f"version {relation.version}" if relation.version else "",
        relation.reason,
        relation.origin.value,
    ]
    said = f"{relation.source} —{relation.kind}→ {relation.target}"
    line(said, (f"  ({', '.join(filter(None, known))})", "dim"))


def _show_tool(tool: Tool) -> None:
    line((tool.name, "bold"), f"  {tool.id}  {tool.category}")
    line(tool.description)
    seen = ", ".join(sorted(tool.personas))
    facts = {
        "server": tool.server,
        "source": tool.source,
        "used": f"{tool.usage:,}",
        "seen by": seen,
        "entities": ", ".join(tool.entity_ids),
        "flagged": ", ".join(tool.flags),
    }
    for name, value in facts.items():
        if value:
            line((f"{name} ", "dim"), value)
    for name, schema in (("takes", tool.schema), ("returns", tool.returns)):
        if schema:
            line((f"{name} ", "dim"), shown_json(dict(schema)))


def _show_stats(stats: ToolStats) -> None:
    line(f"{stats.tools:,} tools, {sum(stats.relations.values()):,} relations, {stats.uses:,} uses")
    for name, counts in (("categories", stats.categories), ("relations", stats.relations)):
        line((f"{name} ", "dim"), _counted(counts))
    line(("used most ", "dim"), _listed(stats.most_used))


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name or 'none'} {count:,}" for name, count in counts.items())


def _listed(pairs: Sequence[tuple[str, int]]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in pairs)
