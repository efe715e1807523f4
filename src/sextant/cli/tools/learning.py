"""Commands about the use of tools: take in a log of it, forget some."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from sextant.cli.shared.console import (
    JsonOption,
    StoreOption,
    err,
    flag,
    note,
    operator,
    out,
    print_json,
    run,
    settings,
)
from sextant.cli.shared.progress import progress
from sextant.cli.tools.group import TenantOption, app, with_toolbox
from sextant.cli.tools.usage_log import LogReport, take_in_log
from sextant.core.toolbox import Toolbox

_SHOWN = 10
_SOME_FAILED = 3


@app.command("log")
def take_in_usage_log(
    file: Annotated[Path, typer.Argument(help="Lines of JSON; `-` reads stdin.")],
    later: Annotated[
        bool,
        flag("--later", help="Leave it to selections to read the requests, a few at a time."),
    ] = False,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Learn from a usage log: which tools were called for which request, in order.

    A line is `{"request": "…", "tools": ["a", "b"], "times": ["…", "…"], "outcome": "done"}`, with
    `id` and `user` if they are known. Run it again at any time: no line counts twice. Tools that
    are not there are named, and the others count.

    Examples:

    - `sextant tools log usage.jsonl`
    - `sextant tools log - --later < usage.jsonl`

    Exits with 0 if all went well, 3 if some lines could not be read, 1 if none could.
    """
    chosen, scope = settings(store), operator(tenant)

    async def task(toolbox: Toolbox) -> LogReport:
        with progress() as listen:
            report = await take_in_log(toolbox, scope, file, listen)
            if report.new and not later:
                listen("reading the requests", 0, 1)
                await toolbox.learn(scope)
            return report

    report = run(with_toolbox(chosen, scope, task), "Run it again: no line counts twice.")
    if as_json:
        print_json(report.as_json())
    else:
        _show(report)
    if report.broken_count:
        raise typer.Exit(_SOME_FAILED if report.lines > report.broken_count else 1)


@app.command("forget")
def forget_uses(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of uses in the log.")],
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Forget uses, and all that was learnt of them, as if they had never been.

    Example: `sextant tools forget session-17 session-18`
    """
    chosen, scope = settings(store), operator(tenant)
    count = run(with_toolbox(chosen, scope, lambda toolbox: toolbox.forget_uses(scope, ids)))
    if as_json:
        print_json({"forgotten": count})
        return
    out.print(f"Forgot {count} of {len(set(ids))} uses.", highlight=False)


def _show(report: LogReport) -> None:
    out.print(
        f"Learnt from {report.new:,} new uses; {report.again:,} were known, "
        f"{report.left_out:,} name no tool that is there.",
        highlight=False,
        soft_wrap=True,
    )
    for name, count in report.unknown.most_common(_SHOWN):
        times = f" ({count:,} lines)" if count > 1 else ""
        note(f"There is no tool {name!r}{times}.")
    if len(report.unknown) > _SHOWN:
        note(f"{len(report.unknown) - _SHOWN:,} more tools are not there; --json lists them.")
    for number, why in report.broken:
        err.print(f"[red]line {number:,}:[/red]", escape(why), highlight=False)
    if report.broken_count > len(report.broken):
        err.print(f"… and {report.broken_count - len(report.broken):,} more.", highlight=False)
