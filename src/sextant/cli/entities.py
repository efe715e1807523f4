"""Commands to find entities and what is said of them, and to say which names are whose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Column, Table

from sextant.cli.shared.console import (
    JsonOption,
    StoreOption,
    cut,
    operator,
    out,
    print_json,
    run,
    settings,
    show_table,
)
from sextant.cli.shared.knowledge import TenantOption, json_fields, show_relations, with_knowledge
from sextant.core import Sextant
from sextant.ingest.keeping.draft import relation_id
from sextant.settings import Settings
from sextant.types import DOCUMENT_NODE, Direction, Entity, NameMatch, Relation, Walk

app = typer.Typer(no_args_is_help=True, help="Find entities, and say which names are whose.")
relations_app = typer.Typer()


@app.command("find")
def find_entities(
    name: Annotated[
        str, typer.Argument(help="A name, its start, a word of it, or about how it is spelt.")
    ],
    limit: Annotated[int, typer.Option(min=1, max=1_000)] = 10,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find entities by name: exact first, then what starts so, holds it, or is spelt nearly so."""

    async def task(sextant: Sextant) -> Sequence[NameMatch]:
        return await sextant.find(operator(tenant), name, limit)

    found = run(with_knowledge(settings(store), task, tenant))
    if as_json:
        print_json([{**json_fields(one.entity), "matched": one.matched} for one in found])
        return
    table = Table(
        Column("id", overflow="fold"),
        "name",
        "type",
        "also known as",
        "fit",
        box=None,
        header_style="bold",
    )
    for one in found:
        aliases = ", ".join(sorted(one.entity.aliases))
        row = (one.entity.id, one.entity.name, one.entity.type, cut(aliases))
        table.add_row(*map(escape, row), f"{one.score:.2f}")
    show_table(table, "Nothing bears that name.")


@app.command("show")
def show_entity(
    entity_id: Annotated[str, typer.Argument(help="As `sextant entities find` shows it.")],
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show an entity: its names, its fields, and its strongest relations with their evidence."""

    async def task(sextant: Sextant) -> tuple[Entity, Sequence[Relation]]:
        scope = operator(tenant)
        found = await sextant.known(scope, [entity_id])
        around = await sextant.expand(scope, [entity_id], Walk(limit=30))
        links = [link.relation for link in around.links]
        return found[entity_id], await sextant.identified(scope, links)

    entity, around = run(with_knowledge(settings(store), task, tenant))
    if as_json:
        print_json({**json_fields(entity), "relations": [*map(_relation_fields, around)]})
        return
    _show_entity(entity)
    show_relations(around)


@app.command("alias")
def alias_entity(
    entity_id: str,
    name: Annotated[str, typer.Argument(help="Another name for it.")],
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give an entity another name, for good: also in documents that come later."""
    _overrule(settings(store), "alias", (entity_id, name), tenant, as_json)


@app.command("merge")
def merge_entities(
    entity_id: Annotated[str, typer.Argument(help="The entity that is really another one.")],
    into: Annotated[str, typer.Argument(help="The one that stays.")],
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say that two entities are one, for good. `split` takes it back."""
    _overrule(settings(store), "merge", (entity_id, into), tenant, as_json)


@app.command("split")
def split_entity(
    entity_id: str,
    name: Annotated[str, typer.Argument(help="A name of it, or the id that was merged into it.")],
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say that a name means something else, for good, or take a merge back."""
    _overrule(settings(store), "split", (entity_id, name), tenant, as_json)


@relations_app.command("relations")
def list_relations(
    entity_ids: Annotated[
        list[str], typer.Argument(help="Ids of entities, as `sextant entities find` shows them.")
    ],
    kind: Annotated[list[str] | None, typer.Option(help="Only this kind; may repeat.")] = None,
    direction: Annotated[Direction, typer.Option()] = Direction.BOTH,
    hops: Annotated[int, typer.Option(min=1, max=3)] = 1,
    limit: Annotated[int, typer.Option(min=1, max=10_000)] = 50,
    tenant: TenantOption = "default",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Follow relations from entities, strongest first, with the chunks that say so.

    Example: `sextant relations component:default/service-a --kind depends_on --direction in`
    """
    walk = Walk(frozenset(kind or ()), direction, hops, limit=limit)

    async def task(sextant: Sextant) -> tuple[Sequence[Relation], Sequence[str]]:
        scope = operator(tenant)
        around = await sextant.expand(scope, entity_ids, walk)
        found = await sextant.identified(scope, [link.relation for link in around.links])
        ends = {end for one in found for end in (one.source, one.target)}
        others = [
            one for one in entity_ids if one not in ends and not one.startswith(DOCUMENT_NODE)
        ]
        await sextant.known(scope, others)
        return found, await sextant.sentences(scope, found)

    found, said = run(with_knowledge(settings(store), task, tenant))
    if as_json:
        pairs = zip(found, said, strict=True)
        print_json([{**_relation_fields(one), "sentence": sentence} for one, sentence in pairs])
    else:
        show_relations(found, said)
        if not found:
            out.print("Nothing is known of them.")


def _overrule(
    chosen: Settings, verb: str, arguments: tuple[str, str], tenant: str, as_json: bool
) -> None:
    async def task(sextant: Sextant) -> Entity:
        said: Entity = await getattr(sextant, verb)(operator(tenant), *arguments)
        return said

    entity = run(with_knowledge(chosen, task, tenant))
    if as_json:
        print_json(json_fields(entity))
    else:
        _show_entity(entity)


def _relation_fields(relation: Relation) -> dict[str, Any]:
    return json_fields(relation) | {"id": relation_id(relation)}


def _show_entity(entity: Entity) -> None:
    out.print(f"[bold]{escape(entity.name)}[/bold]  {escape(entity.id)}  {escape(entity.type)}")
    if entity.aliases:
        out.print("also known as", escape(", ".join(sorted(entity.aliases))), highlight=False)
    for name, value in sorted(entity.metadata.items()):
        out.print(f"[dim]{escape(name)}[/dim] {escape(value)}", highlight=False, soft_wrap=True)
