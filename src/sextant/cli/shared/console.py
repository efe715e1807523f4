"""What all commands share: the two consoles, options, how work is run and how errors are shown."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.highlighter import JSONHighlighter
from rich.markup import escape
from rich.segment import Segment, Segments
from rich.text import Text

from sextant.cli.shared.settings_check import mistakes
from sextant.errors import SextantError
from sextant.prompting.secrets.redact import redacted
from sextant.settings import NO_MODEL, Loaded, Settings, check, load
from sextant.text.codec.json_bytes import shown_json
from sextant.text.markdown import printable
from sextant.types import OPERATOR, Scope

if TYPE_CHECKING:
    from rich.console import ConsoleOptions, RenderableType
    from rich.table import Table

T = TypeVar("T")


class SafeConsole(Console):
    """Shows texts of documents, and obeys none: only its own styles are signs to a terminal."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """Yield what is shown, without signs that are not seen but do something."""
        for segment in super().render(renderable, options):
            is_plain = segment.control or (segment.text.isascii() and segment.text.isprintable())
            yield segment if is_plain else Segment(_shown(segment.text), segment.style)


def _shown(text: str) -> str:
    kept = _LAYOUT.split(text)
    return "".join(one if at % 2 else printable(one) for at, one in enumerate(kept))


_LAYOUT = re.compile(r"([\n\t])")
out = SafeConsole()
err = SafeConsole(stderr=True)
_CUT = 60
# Without a name for its value, for it takes none.
flag = partial(typer.Option, metavar="")

StoreOption = Annotated[
    str | None,
    typer.Option("--store", "-s", help="The store, as in `sqlite:FOLDER`.", metavar="SCHEME:REST"),
]
JsonOption = Annotated[bool, flag("--json", help="Print JSON for programs.")]


def operator(tenant: str) -> Scope:
    """Return the scope of whoever runs the store: nothing is hidden."""
    return Scope(tenant, roles=frozenset({OPERATOR}))


def settings(
    store: str | None,
    llm: str | None = NO_MODEL,
    embedder: str | None = None,
    *,
    only_store: bool = False,
) -> Settings:
    """Return the settings that hold here, with the store and the model that were asked for.

    A command that needs no model asks for none, so that a missing key is in nobody's way; one that
    needs only the store is stopped by no other setting.
    """
    asked: dict[str, Any] = {"store": store, "llm": llm, "embedder": embedder}
    given = {name: value for name, value in asked.items() if value is not None}
    with typed_exit():
        loaded = load()
        warn_unknown(loaded)
        chosen = replace(loaded.settings, **given)
        wrong = mistakes(chosen, {**loaded.origins, **{name: f"--{name}" for name in given}})
        wrong.pop("llm", None)  # told by whoever opens it
        for name, mistake in wrong.items():
            if name in ("store", "index") or not only_store:
                raise mistake
    return chosen


def serving(store: str | None, llm: str | None, **given: Any) -> Settings:
    """Return the settings that hold here, with what options say of [serve], checked like them."""
    found = settings(store, llm)
    own = {name: value for name, value in given.items() if value is not None}
    chosen = replace(found, serve=replace(found.serve, **own))
    with typed_exit():
        check(chosen, {f"serve.{name}": f"--{name}" for name in own})
    return chosen


def note(text: str) -> None:
    """Say what somebody should know beside the result."""
    err.print("[yellow]note:[/yellow]", escape(text), highlight=False, soft_wrap=True)


def warn_unknown(loaded: Loaded) -> None:
    """Name variables that look like settings and are none."""
    for name in loaded.unknown:
        err.print(f"[yellow]ignored:[/yellow] {name} names no setting.", highlight=False)


def run(task: Coroutine[Any, Any, T], stopped: str = "What was acknowledged is kept.") -> T:
    """Run a task to its end, or exit with what went wrong, or with what holds if it is stopped."""
    with typed_exit(stopped):
        return asyncio.run(task)


@contextmanager
def typed_exit(stopped: str = "What was acknowledged is kept.") -> Iterator[None]:
    """Show what went wrong and what to do, without a stack trace."""
    try:
        yield
    except SextantError as error:
        show_error(error)
        sys.exit(1)
    except KeyboardInterrupt:
        err.print(f"Stopped. {stopped}", highlight=False)
        sys.exit(130)


def show_error(error: SextantError) -> None:
    """Say what went wrong and what to do."""
    message, hint = escape(redacted(error.message)), escape(redacted(error.hint))
    err.print("[red]error:[/red]", message, highlight=False, soft_wrap=True)
    if hint:
        err.print("[dim]hint:[/dim]", hint, highlight=False, soft_wrap=True)


def show_table(table: Table, nothing: str = "") -> None:
    """Print a table, or that there is nothing in it.

    Where the output is no terminal, each row is a line with tabs, which nothing is cut from.
    """
    if out.is_terminal or not table.rows:
        out.print(table if table.rows else nothing)
        return
    rows = zip(*(column.cells for column in table.columns), strict=True)
    lines = ("\t".join(printable(_text_of(cell)) for cell in row) for row in rows)
    # A text would have its tabs turned into blanks.
    out.print(Segments([Segment(f"{line}\n") for line in lines]), end="", soft_wrap=True)


def cut(text: str) -> str:
    """Return as much of a long text as a row of a table on a terminal has room for."""
    return text[:_CUT] if out.is_terminal else text


def _text_of(cell: RenderableType) -> str:
    return cell.plain if isinstance(cell, Text) else Text.from_markup(str(cell)).plain


def print_json(value: object) -> None:
    """Print a value for programs."""
    told = JSONHighlighter()(Text(shown_json(value, indent=2), no_wrap=True))
    out.print(told, soft_wrap=True)
