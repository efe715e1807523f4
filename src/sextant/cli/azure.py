"""Commands for knowledge in Azure: make what the store needs there, and check it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer
from rich.markup import escape

from sextant.build.azure import check_azure, make_azure, plan_azure
from sextant.cli.shared.console import JsonOption, flag, note, out, print_json, run, settings

app = typer.Typer(help="Make what the store needs in Azure, and check it.", no_args_is_help=True)


@app.command()
def init(
    dry_run: Annotated[
        bool, flag("--dry-run", help="Show what would be made, and make nothing.")
    ] = False,
) -> None:
    """Make the database, its containers and the index that `[azure]` names, where they are missing.

    Needs a role that may make them; a subscription's owner often has `deploy/azure` do this.

    Example: `sextant azure init --dry-run`
    """
    own = settings(None, only_store=True)
    if not own.index and not own.azure.search_endpoint:
        note("azure.search_endpoint is not set: there is no index, and the store needs one.")
    if dry_run:
        print_json(run(plan_azure(own)))
        return
    made = run(make_azure(own))
    names = ", ".join(one["name"] for one in made["containers"])
    out.print(f"The database {made['database']} has its containers: {names}.", highlight=False)
    if "index" in made:
        out.print(f"The index {made['index']['name']} is there.", highlight=False)


@app.command()
def check(as_json: JsonOption = False) -> None:
    """Say what can be reached in Azure, as whom, and which right is missing.

    Exits with 1 if something is wrong.

    Example: `sextant azure check`
    """
    found = run(check_azure(settings(None, only_store=True)))
    if as_json:
        print_json([asdict(one) for one in found])
    else:
        for one in found:
            mark = "[red]✗[/red]" if one.problem else "[green]✓[/green]"
            told = " ".join(filter(None, (one.problem, one.hint)))
            out.print(mark, escape(f"{one.what}: {told}" if told else one.what), highlight=False)
    if any(one.problem for one in found):
        raise typer.Exit(1)
