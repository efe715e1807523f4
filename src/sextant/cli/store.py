"""Commands for who runs a store: status, backup, restore, rebuild."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from sextant import build
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
    typed_exit,
)
from sextant.cli.shared.progress import progress
from sextant.errors import NotFound, SextantError, StoreError
from sextant.ingest.embedding.failures import read_failures
from sextant.ports import Progress as Listener
from sextant.ports import Store, names_by_part
from sextant.settings import FILE, PREFIX, Settings, load
from sextant.types import StoreStatus

app = typer.Typer()
TenantOption = Annotated[str | None, typer.Option("--tenant", "-t", help="Only this tenant.")]


@app.command()
def status(
    store: StoreOption = None,
    tenant: TenantOption = None,
    check: Annotated[
        bool, flag("--check", help="Derive every index anew and compare; takes a while.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what the store holds and how its indexes are.

    Exits with 1 if something is wrong.

    Example: `sextant status --check --json`
    """
    chosen = settings(store, only_store=True)
    report = run(_status(chosen, tenant, check))
    problems = report.problems
    if as_json:
        print_json(asdict(report))
    else:
        _show_status(report)
        for name in report.of_other_embedders:
            note(
                f"The settings name the embedder {chosen.embedder!r}, which did not make the "
                f"vectors of {name}: questions are refused. Run `sextant rebuild`, or set it back."
            )
        if check and not problems:
            out.print("Checked: every index agrees with the truth.")
        for problem in problems:
            err.print("[red]problem:[/red]", escape(problem), highlight=False)
    if problems:
        raise typer.Exit(1)


@app.command()
def backup(
    target: Annotated[Path, typer.Argument(help="The file to write; it must not exist yet.")],
    store: StoreOption = None,
) -> None:
    """Write all tenants to one file, while the store is in use.

    Example: `sextant backup sextant-2026-11-15.tar`
    """
    with progress() as listener:
        size = run(_backup(settings(store, only_store=True), target, listener))
    out.print(f"Backed up {size:,} bytes to {escape(str(target))}.", highlight=False)


@app.command()
def restore(
    source: Annotated[Path, typer.Argument(help="A file that `sextant backup` wrote.")],
    store: StoreOption = None,
) -> None:
    """Make a new store from a backup.

    The store's folder must be new or empty.

    Example: `sextant restore sextant-2026-11-15.tar --store sqlite:restored`
    """
    with typed_exit(), progress() as listener:
        tenants = build.restore(settings(store, only_store=True), source, listener)
    out.print("Restored", _counted(tenants), highlight=False)


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
    settings, or the embedder that `--embedder` names, which is then to be set: a store is only
    searched with the embedder that made its vectors. Readers go on with the old indexes until the
    new ones are complete. Stopped with Ctrl-C, it goes on where it was when called again.
    """
    chosen = settings(store, embedder=embedder)
    with progress() as listener:
        work = _rebuild(chosen, tenant, embedder is not None, listener)
        tenants = run(work, stopped="The same command goes on where it was.")
    out.print("Rebuilt", _counted(tenants), highlight=False)
    _tell_what_to_set(chosen.embedder)


def _tell_what_to_set(embedder: str) -> None:
    """Say how the settings come to name the embedder that made the vectors, unless they do."""
    own = next(row for row in load().rows() if row.name == "embedder")
    if own.value == embedder:
        return
    is_default = own.origin == "default"
    who, where = ("The default is", FILE) if is_default else (f"{own.origin} has", own.origin)
    how = f"{PREFIX}EMBEDDER={shlex.quote(embedder)}"
    if not own.origin.startswith(PREFIX):
        how = f"embedder = {json.dumps(embedder)} in {where}, or {how}"
    refused = f"{who} embedder = {json.dumps(own.value)}, which this store refuses now."
    note(f"{refused} Set {how}; servers under way have to be started again.")


@dataclass(frozen=True, slots=True)
class _Report:
    """How a store is: each tenant, what is wrong, and what each part can and cannot promise."""

    tenants: list[StoreStatus]
    problems: list[str]
    unembeddable: dict[str, dict[str, str]]
    abilities: dict[str, list[str]]
    lacking: dict[str, list[str]]
    of_other_embedders: list[str]


async def _status(settings: Settings, tenant: str | None, check: bool) -> _Report:
    store = await build.open_store(settings, adopt=True)
    try:
        found, problems = list[StoreStatus](), list[str]()
        failed: dict[str, dict[str, str]] = {}
        for name in await _tenants(store, tenant):
            try:
                one = await store.admin.status(operator(name))
                if one.unembedded_chunks:
                    failed[name] = await read_failures(store, operator(name))
                wrong = [*one.problems, *(await store.admin.check(operator(name)) if check else ())]
            except StoreError as error:
                problems.append(str(error) if repr(name) in str(error) else f"{name}: {error}")
                continue
            found.append(one)
            problems += [f"{name}: {problem}" for problem in wrong]
        able, lacking = names_by_part(store.abilities), names_by_part(store.lacking)
        strange = await _made_by_others(settings, found)
        return _Report(found, problems, failed, able, lacking, strange)
    finally:
        await store.admin.close()


async def _made_by_others(settings: Settings, found: Sequence[StoreStatus]) -> list[str]:
    """Return the tenants whose vectors the embedder of the settings did not make."""
    try:
        embedder = build.open_embedder(settings)
    except SextantError:  # told by whoever needs one
        return []
    await embedder.close()
    return [one.tenant for one in found if one.embedder not in (None, embedder.identity)]


async def _backup(settings: Settings, target: Path, listener: Listener) -> int:
    store = await build.open_store(settings, adopt=True)
    try:
        return await store.admin.backup(target, listener)
    finally:
        await store.admin.close()


async def _rebuild(
    settings: Settings, tenant: str | None, new_vectors: bool, listener: Listener
) -> list[str]:
    embedder = build.open_embedder(settings)
    try:
        store = await build.open_store(settings, adopt=True)
        try:
            tenants = await _tenants(store, tenant)
            for name in tenants:
                made_by = (await store.admin.status(operator(name))).embedder
                wanted = new_vectors or made_by != embedder.identity
                await store.admin.rebuild(operator(name), embedder if wanted else None, listener)
            return tenants
        finally:
            await store.admin.close()
    finally:
        await embedder.close()


async def _tenants(store: Store, wanted: str | None) -> list[str]:
    known = list(await store.admin.tenants())
    if wanted is None:
        return known
    if wanted not in known:
        raise NotFound(f"There is no tenant {wanted!r}.", f"Known: {', '.join(known) or 'none'}.")
    return [wanted]


def _show_status(report: _Report) -> None:
    for part, names in report.lacking.items():
        out.print(f"The {part} does not promise: {', '.join(names)}.", highlight=False)
    if not report.tenants and not report.problems:
        out.print("The store is empty: nothing was written to it yet.")
        return
    for one in report.tenants:
        table = Table(box=None, show_header=False, title=escape(one.tenant), title_justify="left")
        for name, count in asdict(one.counts).items():
            table.add_row(name, f"{count:,}")
        table.add_row("commit", str(one.commit))
        for index in one.indexes:
            rest = f", {index.lag:,} chunks in none yet" if index.lag else ""
            table.add_row(f"{index.name} index", f"{index.parts} parts{rest}")
        if one.documents_behind:
            table.add_row("index", f"{one.documents_behind:,} documents behind the truth")
        table.add_row("on disk", f"{one.bytes_on_disk / 1e6:,.1f} MB, format {one.format}")
        table.add_row("embedder", escape(one.embedder.name) if one.embedder else "none")
        table.add_row("language", one.language)
        if one.unembedded_chunks:
            table.add_row("without vectors", f"{one.unembedded_chunks:,} chunks")
        out.print(table)
        for document, why in report.unembeddable.get(one.tenant, {}).items():
            line = f"[yellow]no vectors:[/yellow] {escape(f'{document}: {why}')}"
            out.print(line, highlight=False, soft_wrap=True)


def _counted(tenants: list[str]) -> str:
    return escape(f"{len(tenants)} tenant(s): {', '.join(tenants) or 'none'}.")
