"""Commands to look at documents, to delete them, and to take all knowledge out again."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TextIO

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
    typed_exit,
)
from sextant.cli.shared.knowledge import TenantOption, json_fields, show_relations, with_knowledge
from sextant.cli.shared.questions import scope_of
from sextant.core import Sextant
from sextant.errors import Conflict, InvalidInput, NotFound
from sextant.settings import Settings
from sextant.types import OPERATOR, Counts, Document, Put

app = typer.Typer(no_args_is_help=True, help="List, show, delete and hand over documents.")
export_app = typer.Typer()


@app.command("list")
def list_documents(
    after: Annotated[str, typer.Option(help="Start after this id, to page on.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=10_000)] = 50,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """List documents by id. The last id shown is where the next page starts: `--after ID`."""

    async def task(sextant: Sextant) -> tuple[Sequence[Document], bool]:
        found = await sextant.store.truth.documents(operator(tenant), after, limit)
        is_full = len(found) == limit
        return found, is_full and bool(
            await sextant.store.truth.documents(operator(tenant), found[-1].id, 1)
        )

    found, has_more = run(with_knowledge(settings(store), task, tenant))
    if as_json:
        print_json([json_fields(one) for one in found])
    else:
        _show_documents(found)
    if has_more:
        note(f"There are more: --after {shlex.quote(found[-1].id)}")


def _show_documents(found: Sequence[Document]) -> None:
    table = Table(
        Column("id", overflow="fold"),
        "title",
        "type",
        "modified",
        "tags",
        box=None,
        header_style="bold",
    )
    for one in found:
        modified = one.modified.date().isoformat() if one.modified else ""
        table.add_row(
            *map(escape, (one.id, cut(one.title), one.source_type)),
            modified,
            escape(", ".join(sorted(one.tags))),
        )
    show_table(table, "There are no documents.")


@app.command("show")
def show_document(
    document_id: Annotated[str, typer.Argument(help="As `sextant documents list` shows it.")],
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a document: its fields, its chunks with their spans, what it says of whom."""

    async def task(sextant: Sextant) -> Put:
        found = await sextant.store.truth.units(operator(tenant), [document_id])
        if document_id not in found:
            raise NotFound(
                f"There is no document {document_id!r}.", "See `sextant documents list`."
            )
        await sextant.opened(operator(tenant), [document_id])
        return found[document_id]

    unit = run(with_knowledge(settings(store), task, tenant))
    if as_json:
        print_json(_unit_json(unit))
        return
    fields = {name: value for name, value in json_fields(unit.document).items() if value}
    fields["owner"] = unit.document.owner or OPERATOR
    for name, value in fields.items():
        out.print(f"[bold]{name}[/bold]", escape(str(value)), highlight=False, soft_wrap=True)
    for chunk in unit.chunks:
        place = f"{chunk.id}  [{chunk.start}:{chunk.end}]  {' > '.join(chunk.headings)}"
        out.print(f"\n[cyan]{escape(place)}[/cyan]", highlight=False, soft_wrap=True)
        out.print(escape(chunk.text), highlight=False, soft_wrap=True)
        if chunk.entity_ids:
            named = escape(", ".join(chunk.entity_ids))
            out.print(f"[dim]names: {named}[/dim]", highlight=False, soft_wrap=True)
    show_relations(unit.relations)


@app.command("delete")
def delete_documents(
    document_ids: Annotated[list[str], typer.Argument(help="One or more ids.")],
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete documents and all that they brought: chunks, names, relations, links to them."""

    async def task(sextant: Sextant) -> tuple[int, list[str]]:
        known = await sextant.store.truth.chunk_ids(operator(tenant), document_ids)
        removed = await sextant.remove(operator(tenant), document_ids)
        return removed, [one for one in dict.fromkeys(document_ids) if one not in known]

    removed, unknown = run(with_knowledge(settings(store), task, tenant))
    missing = len(set(document_ids)) - removed
    if as_json:
        print_json({"removed": removed, "missing": missing})
    else:
        out.print(f"Deleted {removed}; {missing} did not exist.", highlight=False)
    for one in unknown:
        note(f"There is no document {one!r}.")
    if missing:
        raise typer.Exit(1)


@app.command("hand-over")
def hand_over_documents(
    old: Annotated[str, typer.Argument(help="Whose they are: `key:ID`, a user, or `operator`.")],
    new: Annotated[str, typer.Argument(help="Whose they are to be, written the same way.")],
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make all documents of one owner another's, for example when a key is replaced.

    Example: `sextant documents hand-over key:4f1c0a9be27d key:9d20c1a7e3b5 --tenant acme`
    """
    chosen = settings(store)

    async def task(sextant: Sextant) -> int:
        _note_in_audit(chosen, tenant, "hand over documents", f"{old} to {new}")
        return await sextant.hand_over(operator(tenant), old, new)

    handed = run(with_knowledge(chosen, task, tenant))
    if as_json:
        print_json({"handedOver": handed})
        return
    out.print(f"Handed over {handed} to {escape(new)}.", highlight=False, soft_wrap=True)
    note("Rules of the settings that name the old owner do not follow: see ingest.rules.")


def _note_in_audit(chosen: Settings, tenant: str, verb: str, subject: str) -> None:
    """Write down in the server's audit log what the command line does to other owners."""
    from uuid import uuid4

    from sextant.serve.caller import Caller
    from sextant.serve.house import Note, Visit
    from sextant.serve.records.audit import open_audit

    audit = open_audit(chosen)
    visit = Visit(Caller(OPERATOR, tenant), uuid4().hex, "cli")
    audit.note(Note(visit, operator(tenant), verb, subject))
    audit.close()


@export_app.command()
def export(
    target: Annotated[Path, typer.Argument(help="The JSON file to write; it must not exist yet.")],
    vectors: Annotated[bool, flag(help="Write each chunk's vector, too.")] = False,
    persona: Annotated[
        list[str] | None,
        typer.Option(help="Write what this persona sees, not only what all see; may be repeated."),
    ] = None,
    tenant: TenantOption = "default",
    store: StoreOption = None,
) -> None:
    """Write all entities, relations and chunks to one JSON file, which `sextant ingest` reads.

    The file does not say who may see what, so it holds only what is open to all, or what some
    personas see.

    Example: `sextant export knowledge.json`
    """

    async def task(sextant: Sextant) -> tuple[dict[str, list[Any]], Counts]:
        scope = scope_of(tenant, persona)
        records: dict[str, list[Any]] = {"entities": [], "relations": [], "chunks": []}
        async for kind, record in sextant.export(scope, vectors=vectors):
            records[kind].append(record)
        return records, (await sextant.store.admin.status(scope)).counts

    with typed_exit(), _new_file(target) as file:
        records, held = run(with_knowledge(settings(store), task, tenant))
        json.dump(records, file, ensure_ascii=False, indent=1)
    counts = ", ".join(f"{len(own):,} {kind}" for kind, own in records.items())
    out.print(f"Wrote {counts} to {escape(str(target))}.", highlight=False, soft_wrap=True)
    left = held.relations - len(records["relations"])
    if left > 0:
        out.print(
            f"{left:,} more relations (names that stand together, links, what a page is about) are "
            "worked out again where it is read.",
            highlight=False,
            soft_wrap=True,
        )


@contextmanager
def _new_file(target: Path) -> Iterator[TextIO]:
    """Open a file that is not there yet; whoever fails leaves none."""
    try:
        file = target.open("x", encoding="utf-8")
    except FileExistsError:
        raise Conflict(f"{target.name} exists already.", "Name a new file.") from None
    except OSError as error:
        raise InvalidInput(
            f"{target.name} cannot be written: {error.strerror}.", "Name another folder."
        ) from None
    try:
        with file:
            yield file
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def _unit_json(unit: Put) -> dict[str, Any]:
    return {
        "document": json_fields(unit.document),
        "version": unit.key,
        "chunks": [json_fields(one) for one in unit.chunks],
        "entities": [json_fields(one) for one in unit.entities],
        "relations": [json_fields(one) for one in unit.relations],
    }
