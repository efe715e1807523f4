"""Knowledge as plain entities, relations and chunks, the way it can be read in again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

from sextant.ingest.extract.sayings import TOGETHER
from sextant.ingest.keeping.draft import ABOUT, LINKS_TO, is_listed, relation_id, shown
from sextant.ingest.keeping.references import evidence_given
from sextant.ports import Store
from sextant.types import Document, Entity, Put, Scope

_PAGE = 200
_LEFT_OUT = frozenset({TOGETHER, ABOUT, LINKS_TO})
"""What is worked out from the text again wherever it is read in."""

Record = tuple[str, Mapping[str, Any]]
"""Which list a record belongs to, and the record."""


async def export(store: Store, scope: Scope, *, embedder: str = "") -> AsyncIterator[Record]:
    """Yield every chunk, then every relation and every entity that the scope sees.

    With the name of the store's embedder the chunks have their vectors, and say whose they are.
    """
    relations: dict[str, dict[str, Any]] = {}
    after = ""
    while page := await store.truth.documents(scope, after, _PAGE):
        ids = [document.id for document in page]
        for unit in (await store.truth.units(scope, ids)).values():
            for chunk in _chunks(unit, embedder, scope.knows_owner(unit.document)):
                yield "chunks", chunk
            _add_relations(unit, relations)
        after = ids[-1]
    for relation in relations.values():
        if relation["confidence"] >= 1:
            del relation["confidence"]
        yield "relations", relation
    async for entity in _entities(store, scope):
        yield "entities", _entity(entity)


async def _entities(store: Store, scope: Scope) -> AsyncIterator[Entity]:
    after = ""
    while page := await store.truth.definitions(scope, after, _PAGE):
        ids = list(dict.fromkeys(one.entity.id for one in page))
        found = await store.graph.entities(scope, ids)
        for name in ids:
            yield found[name]
        after = ids[-1]


def _entity(entity: Entity) -> Mapping[str, Any]:
    plain = shown(entity)
    return {
        "id": plain.id,
        "name": plain.name,
        "type": plain.type,
        "aliases": sorted(plain.aliases),
        "metadata": dict(plain.metadata),
    } | ({} if is_listed(entity) else {"listed": False})


def _chunks(unit: Put, embedder: str, owned: bool) -> list[Mapping[str, Any]]:
    rows = unit.vectors.tolist() if embedder and unit.vectors is not None else None
    known = _known(unit.document) | _without_empty({"owner": unit.document.owner if owned else ""})
    return [
        {
            "id": chunk.id,
            "content": chunk.text,
            "title": unit.document.title,
            "url": unit.document.url,
            "entityIds": list(chunk.entity_ids),
        }
        | _without_empty({"headings": list(chunk.headings), "page": chunk.page})
        | known
        | ({} if rows is None else {"contentVector": rows[at], "embedder": embedder})
        for at, chunk in enumerate(unit.chunks)
    ]


def _known(document: Document) -> dict[str, Any]:
    """Return what is known of a document beside its text; who may see it is for rules to say."""
    return _without_empty(
        {
            "sourceType": document.source_type,
            "language": document.language,
            "tags": sorted(document.tags),
            "created": document.created and document.created.isoformat(),
            "modified": document.modified and document.modified.isoformat(),
        }
    )


def _without_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value}


def _add_relations(unit: Put, relations: dict[str, dict[str, Any]]) -> None:
    """Put the contributions to one relation together, under its own id or one made for it.

    What a document states goes out with all evidence that it names, whether that is there or not;
    so what its evidence says because of that is left out.
    """
    found = [(one, one.evidence) for one in unit.relations if not one.id]
    found += [(one, (*one.evidence, *named)) for one, named in evidence_given(unit.relations)]
    for relation, named in found:
        if relation.kind not in _LEFT_OUT or relation.id:
            name = relation_id(relation)
            known = relations.setdefault(
                name,
                {
                    "id": name,
                    "sourceEntityId": relation.source,
                    "targetEntityId": relation.target,
                    "relationType": relation.kind,
                    "evidenceChunkIds": [],
                },
            )
            known["confidence"] = max(relation.confidence, known.get("confidence", 0.0))
            evidence = known["evidenceChunkIds"]
            evidence += [one for one in named if one not in evidence]
