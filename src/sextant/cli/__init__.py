"""The command line: decode arguments, call one verb, show the result. The only ``asyncio.run``."""

from __future__ import annotations

import os
from typing import Annotated

import typer
from rich.markup import escape

from sextant.cli import (
    ask,
    config,
    documents,
    entities,
    evaluate,
    ingest,
    keys,
    llm,
    mcp,
    quality,
    serve,
    store,
    workflow,
)
from sextant.cli.frame import err, flag, out
from sextant.version import __version__

app = typer.Typer(
    name="sextant",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""
Sextant is the grounding layer for copilots: documents and tools go in; cited answers, ranked
knowledge and the few right tools come out.

Begin with `sextant ingest DOCS`, then `sextant ask "…"`, then `sextant mcp --config claude` for a
copilot (or `sextant serve` for programs).

Settings come from defaults, then `sextant.toml`, then the environment (`SEXTANT_STORE`, …);
`sextant config` shows each of them and where it came from.
""",
)

_UNWRITABLE = "The output cannot be written"


def _show_version(wanted: bool) -> None:
    if wanted:
        out.print(f"sextant {__version__}", highlight=False)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        flag("--version", help="Show the version and exit.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    pass


app.add_typer(ask.app)
app.add_typer(ingest.app)
app.add_typer(documents.app, name="documents")
app.add_typer(entities.app, name="entities")
app.add_typer(entities.relations_app)
app.add_typer(documents.export_app)
app.add_typer(keys.app, name="keys")
app.add_typer(llm.app, name="llm")
app.add_typer(mcp.app)
app.add_typer(quality.app)
app.add_typer(evaluate.app)
app.add_typer(quality.profiles_app, name="profiles")
app.add_typer(serve.app)
app.add_typer(store.app)
app.add_typer(config.app)
app.add_typer(workflow.app, name="workflow")


def main() -> None:
    """Run the command line; where the output has no room, or a file is shut, a line tells so."""
    try:
        app()
    except OSError as error:
        # What fails on the output names no file.
        wrong = f"{error.filename} cannot be used" if error.filename else _UNWRITABLE
        said = escape(f"{wrong}: {error.strerror}.")
        err.print("[red]error:[/red]", said, highlight=False, soft_wrap=True)
        os._exit(1)
