"""The command line: decode arguments, call one verb, show the result. The only ``asyncio.run``."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from sextant import __version__, build
from sextant.errors import NotFound, SextantError
from sextant.ports import Progress as Listener
from sextant.ports import Store
from sextant.settings import Loaded, Settings, load
from sextant.types import OPERATOR, Scope, StoreStatus

T = TypeVar("T")

app = typer.Typer(
    name="sextant",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""
Sextant is the grounding layer for copilots: documents and tools go in; cited answers, ranked
knowledge and the few right tools come out.

Settings come from defaults, then `sextant.toml`, then the environment (`SEXTANT_STORE`, …);
`sextant config` shows each of them and where it came from.
""",
)

_out = Console()
_err = Console(stderr=True)

StoreOption = Annotated[
    str | None,
    typer.Option("--store", "-s", help="The store, as in `sqlite:FOLDER`.", metavar="SCHEME:REST"),
]
TenantOption = Annotated[str | None, typer.Option("--tenant", "-t", help="Only this tenant.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def _show_version(wanted: bool) -> None:
    if wanted:
        _out.print(f"sextant {__version__}", highlight=False)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", callback=_show_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


@app.command()
def status(
    store: StoreOption = None,
    tenant: TenantOption = None,
    check: Annotated[
        bool, typer.Option("--check", help="Derive every index anew and compare; takes a while.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what the store holds and how its indexes are.

    Exits with 1 if something is wrong. Example: `sextant status --check --json`
    """
    found, problems = _run(_status(_settings(store), tenant, check))
    if as_json:
        _print_json({"tenants": [asdict(one) for one in found], "problems": problems})
    else:
        _show_status(found)
        for problem in problems:
            _err.print("[red]problem:[/red]", escape(problem), highlight=False)
    if problems:
        raise typer.Exit(1)


@app.command()
def config(as_json: JsonOption = False) -> None:
    """Show each setting, its value, and where it came from."""
    with _typed_exit():
        loaded = load()
        rows = list(loaded.rows())
    if as_json:
        _print_json({row.name: {"value": row.value, "from": row.origin} for row in rows})
        return
    table = Table("setting", "value", "from", box=None, header_style="bold")
    for row in rows:
        table.add_row(row.name, escape(str(row.value)), escape(row.origin))
    _out.print(table)
    _warn_unknown(loaded)


@app.command()
def backup(
    target: Annotated[Path, typer.Argument(help="The file to write; it must not exist yet.")],
    store: StoreOption = None,
) -> None:
    """Write all tenants to one file, while the store is in use.

    Example: `sextant backup sextant-2026-11-15.tar`
    """
    with _progress() as listener:
        size = _run(_backup(_settings(store), target, listener))
    _out.print(f"Backed up {size:,} bytes to {escape(str(target))}.", highlight=False)


@app.command()
def restore(
    source: Annotated[Path, typer.Argument(help="A file that `sextant backup` wrote.")],
    store: StoreOption = None,
) -> None:
    """Make a new store from a backup.

    The store's folder must be new or empty. Example:
    `sextant restore sextant-2026-11-15.tar --store sqlite:restored`
    """
    with _typed_exit(), _progress() as listener:
        tenants = build.restore(_settings(store), source, listener)
    _out.print("Restored", _counted(tenants), highlight=False)


@app.command()
def rebuild(
    store: StoreOption = None,
    tenant: TenantOption = None,
    embedder: Annotated[
        str | None,
        typer.Option(
            "--embedder", "-e", help="Make all vectors anew with this one, as in `minilm:`."
        ),
    ] = None,
) -> None:
    """Derive the indexes anew from the truth.

    Needed after the keyword settings or the embedder changed: afterwards the store fits the
    settings. Readers go on with the old indexes until the new ones are complete. Stopped with
    Ctrl-C, it goes on where it was when called again.
    """
    settings = _settings(store)
    if embedder:
        settings = replace(settings, embedder=embedder)
    with _progress() as listener:
        tenants = _run(_rebuild(settings, tenant, embedder is not None, listener))
    _out.print("Rebuilt", _counted(tenants), highlight=False)


def main() -> None:
    """Run the command line."""
    app()


async def _status(
    settings: Settings, tenant: str | None, check: bool
) -> tuple[list[StoreStatus], list[str]]:
    store = await build.open_store(settings, adopt=True)
    try:
        found, problems = [], []
        for name in await _tenants(store, tenant):
            scope = _operator(name)
            one = await store.status(scope)
            found.append(one)
            problems += [f"{name}: {problem}" for problem in one.problems]
            if check:
                problems += [f"{name}: {problem}" for problem in await store.check(scope)]
        return found, problems
    finally:
        await store.close()


async def _backup(settings: Settings, target: Path, listener: Listener) -> int:
    store = await build.open_store(settings, adopt=True)
    try:
        return await store.backup(target, listener)
    finally:
        await store.close()


async def _rebuild(
    settings: Settings, tenant: str | None, new_vectors: bool, listener: Listener
) -> list[str]:
    embedder = build.open_embedder(settings)
    try:
        store = await build.open_store(settings, adopt=True)
        try:
            tenants = await _tenants(store, tenant)
            for name in tenants:
                made_by = (await store.status(_operator(name))).embedder
                wanted = new_vectors or made_by != embedder.identity
                await store.rebuild(_operator(name), embedder if wanted else None, listener)
            return tenants
        finally:
            await store.close()
    finally:
        await embedder.close()


async def _tenants(store: Store, wanted: str | None) -> list[str]:
    known = list(await store.tenants())
    if wanted is None:
        return known
    if wanted not in known:
        raise NotFound(f"There is no tenant {wanted!r}.", f"Known: {', '.join(known) or 'none'}.")
    return [wanted]


def _operator(tenant: str) -> Scope:
    return Scope(tenant, roles=frozenset({OPERATOR}))


def _settings(store: str | None) -> Settings:
    with _typed_exit():
        loaded = load()
    _warn_unknown(loaded)
    return replace(loaded.settings, store=store) if store else loaded.settings


def _warn_unknown(loaded: Loaded) -> None:
    for name in loaded.unknown:
        _err.print(f"[yellow]ignored:[/yellow] {name} names no setting.", highlight=False)


def _run(task: Coroutine[Any, Any, T]) -> T:
    with _typed_exit():
        return asyncio.run(task)


@contextmanager
def _typed_exit() -> Iterator[None]:
    """Show what went wrong and what to do, without a stack trace."""
    try:
        yield
    except SextantError as error:
        _err.print("[red]error:[/red]", escape(error.message), highlight=False, soft_wrap=True)
        if error.hint:
            _err.print("[dim]hint:[/dim]", escape(error.hint), highlight=False, soft_wrap=True)
        sys.exit(1)
    except KeyboardInterrupt:
        _err.print("Stopped. What was acknowledged is kept.", highlight=False)
        sys.exit(130)


@contextmanager
def _progress() -> Iterator[Listener]:
    """Show a bar for long work; nothing where the output is no terminal."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=_err, transient=True, disable=not _err.is_terminal) as bar:
        tasks: dict[str, Any] = {}

        def listen(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what)
            bar.update(tasks[what], completed=done, total=total)

        yield listen


def _show_status(found: list[StoreStatus]) -> None:
    if not found:
        _out.print("The store is empty: nothing was written to it yet.")
        return
    for one in found:
        table = Table(box=None, show_header=False, title=escape(one.tenant), title_justify="left")
        for name, count in asdict(one.counts).items():
            table.add_row(name, f"{count:,}")
        table.add_row("commit", str(one.commit))
        for index in one.indexes:
            table.add_row(
                f"{index.name} index", f"{index.parts} parts, {index.lag:,} chunks unwritten"
            )
        table.add_row("on disk", f"{one.bytes_on_disk / 1e6:,.1f} MB, format {one.format}")
        table.add_row("embedder", escape(one.embedder.name) if one.embedder else "none")
        table.add_row("language", one.language)
        _out.print(table)


def _counted(tenants: list[str]) -> str:
    return escape(f"{len(tenants)} tenant(s): {', '.join(tenants) or 'none'}.")


def _print_json(value: object) -> None:
    _out.print_json(json.dumps(value, ensure_ascii=False, default=str))
