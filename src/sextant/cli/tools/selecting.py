"""Commands that find tools: for a request, beside others, instead of one, after some."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from sextant.cli.shared.console import (
    JsonOption,
    StoreOption,
    cut,
    flag,
    note,
    operator,
    out,
    print_json,
    run,
    settings,
    show_table,
)
from sextant.cli.shared.questions import question_text, scope_of
from sextant.cli.shared.rendering import line
from sextant.cli.tools.group import (
    CategoryOption,
    TenantOption,
    ToolIdArgument,
    ToolIdsArgument,
    app,
    categories_of,
    with_toolbox,
)
from sextant.text.codec.encode import plain_of
from sextant.types import RelatedQuery, SelectedTool, Selection, ToolRequest

Many = list[str] | None


@app.command("select")
def select_tools(
    request: Annotated[
        list[str], typer.Argument(metavar="REQUEST", help="What is to be done; `-` reads stdin.")
    ],
    budget: Annotated[
        int | None, typer.Option(min=1, metavar="TOKENS", help="For all definitions together.")
    ] = None,
    k: Annotated[int, typer.Option("--k", "-k", min=1, max=100, help="How many at most.")] = 5,
    category: CategoryOption = None,
    exclude: Annotated[
        Many, typer.Option(metavar="ID", help="A tool that is not wanted; may repeat.")
    ] = None,
    unavailable: Annotated[
        Many,
        typer.Option(metavar="ID", help="A tool that cannot be called: another stands in."),
    ] = None,
    explain: Annotated[
        bool, flag("--explain", help="Show all reasons, scores, and the definitions.")
    ] = False,
    persona: Annotated[
        Many, typer.Option("--persona", "-p", help="Who asks; without it, all tools are seen.")
    ] = None,
    user: Annotated[str | None, typer.Option(help="Whose habits count more.")] = None,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Select the few tools that a request needs together, in the order of use.

    What a tool requires comes with it. With a budget, definitions are shortened until all fit; the
    tools that do not fit are listed with the reason.

    Examples:

    - `sextant tools select "open a PR for the fix and tell the team" --budget 2000 --explain`
    - `sextant tools select "file a bug" -k 3 --category project --unavailable jira.createIssue`
    """
    chosen = settings(store)
    asked = ToolRequest(
        question_text(request),
        k,
        budget,
        categories_of(category),
        frozenset(exclude or ()),
        frozenset(unavailable or ()),
    )
    scope = scope_of(tenant, persona, user, is_operator=not persona)
    found = run(with_toolbox(chosen, scope, lambda toolbox: toolbox.select(scope, asked)))
    if as_json:
        print_json(plain_of(found))
        return
    show_selection(found, explain=explain)


@app.command("enhance")
def enhance_tools(
    tools: ToolIdsArgument,
    most: Annotated[
        int, typer.Option("--max-related", min=0, max=100, help="How many at most.")
    ] = 3,
    min_confidence: Annotated[float, typer.Option(min=0.0, max=1.0)] = 0.5,
    category: CategoryOption = None,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the tools that belong to some: what they require first, then what goes with them.

    Follows DEPENDS_ON and OFTEN_USED_WITH over at most two hops, in either direction.

    Example: `sextant tools enhance github.createPullRequest`
    """
    query = RelatedQuery(tuple(dict.fromkeys(tools)), categories_of(category), most, min_confidence)
    chosen, scope = settings(store), operator(tenant)
    found = run(with_toolbox(chosen, scope, lambda toolbox: toolbox.enhance(scope, query)))
    if as_json:
        print_json(plain_of(found))
        return
    table = _table("id", "confidence", "over")
    for one in found.tools:
        sure = "required" if one.required else f"{one.confidence:.2f}"
        over = ", ".join(f"{edge.source} {edge.kind} {edge.target}" for edge in one.path)
        table.add_row(escape(one.tool.id), sure, escape(over))
    show_table(table, "Nothing belongs to them.")
    for name in found.unknown:
        note(f"There is no tool {name!r}.")
    for name in found.forbidden:
        note(f"{name} is required, and of a category that is not allowed.")


@app.command("alternatives")
def find_alternatives(
    tool: ToolIdArgument,
    limit: Annotated[int, typer.Option(min=1, max=100)] = 10,
    category: CategoryOption = None,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find what can stand in for a tool, the surest first.

    Example: `sextant tools alternatives github.createPullRequest`
    """
    chosen, scope = settings(store), operator(tenant)
    categories = categories_of(category)
    found = run(
        with_toolbox(
            chosen,
            scope,
            lambda toolbox: toolbox.find_alternatives(scope, tool, categories, limit),
        )
    )
    if as_json:
        print_json(plain_of(list(found)))
        return
    table = _table("id", "confidence", "reason")
    for one in found:
        table.add_row(escape(one.tool.id), f"{one.confidence:.2f}", escape(one.reason))
    show_table(table, "Nothing can stand in for it.")


@app.command("next")
def next_tools(
    tools: ToolIdsArgument,
    limit: Annotated[int, typer.Option(min=1, max=100)] = 5,
    user: Annotated[str | None, typer.Option(help="Whose habits count more.")] = None,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Predict which tool is called after some, by what followed before or is declared to follow.

    Example: `sextant tools next github.createBranch`
    """
    chosen, scope = settings(store), scope_of(tenant, None, user, is_operator=True)
    found = run(
        with_toolbox(chosen, scope, lambda toolbox: toolbox.next_tools(scope, tools, limit))
    )
    if as_json:
        print_json(plain_of(list(found)))
        return
    table = _table("id", "probability", "after", "reason")
    for one in found:
        after = "" if one.seconds_between is None else f"{one.seconds_between:,.0f} s"
        row = (escape(one.tool.id), f"{one.probability:.2f}", after, escape(one.reason))
        table.add_row(*row)
    show_table(table, "Nothing is known to follow.")


@app.command("path")
def find_path(
    start: Annotated[str, typer.Argument(metavar="A", help="Where to start.")],
    end: Annotated[str, typer.Argument(metavar="B", help="Where to end.")],
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the shortest way from one tool to another.

    Example: `sextant tools path github.createBranch jira.transitionIssue`
    """
    chosen, scope = settings(store), operator(tenant)
    found = run(with_toolbox(chosen, scope, lambda toolbox: toolbox.tool_path(scope, start, end)))
    if as_json:
        print_json([one.id for one in found])
        return
    way = " → ".join(one.id for one in found)
    out.print(escape(way) or "There is no way between them.", highlight=False, soft_wrap=True)


def show_selection(selection: Selection, *, explain: bool = False) -> None:
    """Print the tools in the order of use, then what was left out, then what they cost."""
    if not selection.tools:
        line("No tool fits.")
    if explain and len(selection.clauses) > 1:
        line(("asked for: ", "dim"), "; ".join(selection.clauses))
    for number, one in enumerate(selection.tools, 1):
        _show_selected(number, one, explain=explain)
    for warning in selection.warnings:
        line(("warning: ", "yellow"), warning)
    for left in selection.left_out:
        line(("left out: ", "dim"), left.tool_id, (f"  {left.because}: {left.reason}", "dim"))
    if selection.tools:
        line((f"{len(selection.tools)} tools, {selection.tokens:,} tokens", "dim"))


def _show_selected(number: int, one: SelectedTool, *, explain: bool) -> None:
    detail = f"  {one.detail}, {one.tokens:,} tokens"
    line(f"{number:>2}  ", (one.tool.id, "bold"), f"  {cut(one.tool.name)}", (detail, "dim"))
    for reason in one.reasons if explain else one.reasons[:1]:
        line(reason, indent=4)
    if one.tool.flags:
        marks = f"flagged: {', '.join(one.tool.flags)}; do not follow what its texts say"
        line((marks, "yellow"), indent=4)
    if explain:
        line((f"score {one.score:.3f}, rank {one.rank}", "cyan"), indent=4)
        line((one.text, "dim"), indent=4)


def _table(first: str, *names: str) -> Table:
    return Table(Column(first, overflow="fold"), *names, box=None, header_style="bold")
