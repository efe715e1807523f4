"""The command line: decode arguments, call one verb, show the result. The only ``asyncio.run``."""

from __future__ import annotations

import logging
import os
from typing import Annotated

import typer

from sextant.cli.commands import MARKUP, LazyGroup
from sextant.version import __version__

app = typer.Typer(
    name="sextant",
    cls=LazyGroup,
    no_args_is_help=True,
    rich_markup_mode=MARKUP,
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
        typer.echo(f"sextant {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            metavar="",
            help="Show the version and exit.",
            callback=_show_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; where the output has no room, or a file is shut, a line tells so."""
    # It tells a page for each token that cannot be had; a server's log still has it.
    logging.getLogger("azure.identity").addHandler(logging.NullHandler())
    try:
        app()
    except OSError as error:
        from rich.markup import escape

        from sextant.cli.shared.console import err

        # What fails on the output names no file.
        wrong = f"{error.filename} cannot be used" if error.filename else _UNWRITABLE
        said = escape(f"{wrong}: {error.strerror}.")
        err.print("[red]error:[/red]", said, highlight=False, soft_wrap=True)
        os._exit(1)
