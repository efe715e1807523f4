"""The command that imports tools: from files and servers, with what changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated, Any

import typer
from rich.markup import escape

from sextant import build
from sextant.cli.shared.console import (
    JsonOption,
    StoreOption,
    err,
    flag,
    operator,
    out,
    print_json,
    run,
    settings,
    show_error,
    typed_exit,
)
from sextant.cli.shared.progress import progress
from sextant.cli.tools.group import TenantOption, app
from sextant.errors import InvalidInput
from sextant.settings import Settings
from sextant.text.codec.encode import plain_of
from sextant.toolbox.catalogue import file_source
from sextant.toolbox.catalogue.formats import CatalogueForm
from sextant.toolbox.catalogue.nouns import ToolSource
from sextant.toolbox.catalogue.report import Emit, ImportReport, ImportStep
from sextant.toolbox.catalogue.sample import sample_tools

_SOME_FAILED = 3
_SHOWN = 10
_IN_MEMORY = "memory:"
_READING = "reading"

Many = list[str] | None


@app.command("import")
def import_tools(
    files: Annotated[
        Many,
        typer.Argument(
            metavar="[FILE]...",
            help="Catalogues: {tools, relations}, lists as MCP or OpenAI have them, JSON lines,"
            " OpenAPI. NAME=FILE names the source.",
        ),
    ] = None,
    mcp: Annotated[
        Many,
        typer.Option(
            metavar="COMMAND|URL",
            help="A server that lists its tools, or its name in [[toolbox.servers]]; may repeat.",
        ),
    ] = None,
    openapi: Annotated[
        Many, typer.Option(metavar="FILE", help="An OpenAPI or Swagger file; may repeat.")
    ] = None,
    sample: Annotated[
        bool, flag("--sample", help="The bundled tools: GitHub, GitLab, Jira, Slack, Teams.")
    ] = False,
    persona: Annotated[
        Many, typer.Option("--persona", "-p", help="Only this persona may see them; may repeat.")
    ] = None,
    dry_run: Annotated[
        bool, flag("--dry-run", help="Read everything, change nothing, show what would change.")
    ] = False,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Import tools from files and MCP servers, and show what changed.

    Each source is compared with what it brought before: tools that it does not list any more are
    removed, and how often the others were used stays. Without any source, all servers of
    `[[toolbox.servers]]` are read. A tool whose texts try to steer the choice is flagged.

    Examples:

    - `sextant tools import --sample`
    - `sextant tools import tools.json --openapi billing=api.yaml`
    - `sextant tools import --mcp "npx -y @modelcontextprotocol/server-everything" --dry-run`
    - `sextant tools import --mcp docs=https://mcp.example/mcp`

    Exits with 0 if all went well, 3 if some sources could not be read, 1 if none could.
    """
    chosen = settings(store)
    personas = frozenset(persona or ())
    with typed_exit():
        sources = [
            *(build.tool_source(chosen, one) for one in mcp or ()),
            *(file_source(one, CatalogueForm.OPENAPI) for one in openapi or ()),
            *(file_source(one) for one in files or ()),
            *([sample_tools()] if sample else ()),
        ] or [build.tool_source(chosen, one.name) for one in chosen.toolbox.servers]
        if not sources:
            raise InvalidInput(
                "There is nothing to import.",
                "Name files, servers by --mcp, or the bundled tools by --sample.",
            )
    if dry_run and build.is_vacant(chosen):
        chosen = replace(chosen, store=_IN_MEMORY)
    own = [replace(one, personas=personas) if personas else one for one in sources]
    with _shown_steps() as emit:
        reports = run(_import(chosen, own, tenant, emit, dry_run=dry_run))
    if as_json:
        print_json([_as_json(one) for one in reports])
    else:
        for one in reports:
            show_report(one, dry_run=dry_run)
    failed = sum(one.error is not None for one in reports)
    if failed:
        raise typer.Exit(1 if failed == len(reports) else _SOME_FAILED)


async def _import(
    chosen: Settings, sources: Sequence[ToolSource], tenant: str, emit: Emit, *, dry_run: bool
) -> Sequence[ImportReport]:
    async with await build.open_sextant(chosen) as sextant:
        scope = operator(tenant)
        return await sextant.toolbox.import_tools(scope, sources, dry_run=dry_run, emit=emit)


@contextmanager
def _shown_steps() -> Iterator[Emit]:
    """Show a bar for each source where there is a terminal."""
    with progress() as listen:
        reading: set[str] = set()

        def emit(step: ImportStep) -> None:
            if step.source in reading:
                reading.remove(step.source)
                listen(f"{step.source}: {_READING}", 1, 1)
            if step.doing == _READING:
                reading.add(step.source)
            listen(f"{step.source}: {step.doing}", step.done, max(1, step.total))

        yield emit


def show_report(report: ImportReport, *, dry_run: bool = False) -> None:
    """Print what a source brought: counts, then what is new, gone or to be looked at."""
    if report.error:
        err.print(f"[bold]{escape(report.source)}[/bold] is left as it was.", highlight=False)
        show_error(report.error)
        return
    counts = report.relations
    out.print(
        f"[bold]{escape(report.source)}[/bold]{' would be' if dry_run else ''}: "
        f"{len(report.added):,} tools added, {len(report.changed):,} changed, "
        f"{len(report.removed):,} removed, {report.unchanged:,} unchanged; relations: "
        f"{counts.added:,} added, {counts.changed:,} changed, {counts.removed:,} removed.",
        highlight=False,
        soft_wrap=True,
    )
    _show("green", "added", report.added)
    _show("cyan", "changed", [f"{one.id} ({', '.join(one.fields)})" for one in report.changed])
    _show("red", "removed", report.removed)
    _show("yellow", "flagged", [f"{one.id} ({', '.join(one.flags)})" for one in report.flagged])
    _show("red", "refused", [f"{one.name}: {one.reason}" for one in report.refused])
    missing = [f"{one.id}, related from {', '.join(one.related_from)}" for one in report.missing]
    _show("yellow", "not there yet", missing)
    _show("yellow", "cycle", [" → ".join([*one, one[0]]) for one in report.cycles])
    _show("yellow", "note", report.notes)


def _show(style: str, what: str, lines: Sequence[str]) -> None:
    for one in lines[:_SHOWN]:
        line = f"  [{style}]{what}:[/{style}] {escape(one)}"
        out.print(line, highlight=False, soft_wrap=True)
    if len(lines) > _SHOWN:
        more = len(lines) - _SHOWN
        out.print(f"  … and {more:,} more {what}; --json lists them.", highlight=False)


def _as_json(report: ImportReport) -> dict[str, Any]:
    wrong = report.error
    told = {"code": wrong.code, "message": wrong.message, "hint": wrong.hint} if wrong else None
    return {**plain_of(replace(report, error=None)), "error": told}
