"""Queries on containers in the seed's shape alone: no tenant, no document, no version.

A chunk is of the document that its id names before the first `#`. A row that lacks what every such
row has is left out: it is not ours, and nobody can say what it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from sextant.stores.azure.cosmos.containers import Containers, Item, Kind
from sextant.text.names import normal_name
from sextant.types import Chunk, Document, Entity, Passage, Put, Relation

_BATCH = 500
"""Values of one query: with ids of 100 characters a tenth of the 512 KB that it may have."""
_BEARS = (
    "ARRAY_CONTAINS(@values, LOWER(c.name)) OR "
    "EXISTS(SELECT VALUE n FROM n IN c.aliases WHERE ARRAY_CONTAINS(@values, LOWER(n)))"
)
_MENTIONS = "EXISTS(SELECT VALUE n FROM n IN c.entityIds WHERE ARRAY_CONTAINS(@values, n))"
_RELATES = "ARRAY_CONTAINS(@values, c.sourceEntityId) OR ARRAY_CONTAINS(@values, c.targetEntityId)"
_WHERE = Document("")
"""Entities and relations of others are of no document."""


class ForeignReader:
    """What the three containers hold, whoever filled them."""

    def __init__(self, containers: Containers) -> None:
        self._containers = containers

    async def bearers(self, names: Iterable[str]) -> Put:
        """Return the entities that are called so, written as it is asked for, but for case."""
        asked = list(names)
        forms = {name.lower() for name in asked} | {normal_name(name) for name in asked}
        return _defining(await self._any(Kind.ENTITIES, _BEARS, forms))

    async def every_entity(self) -> Put:
        """Return all entities."""
        return _defining(await self._containers.query(Kind.ENTITIES, None, "SELECT * FROM c"))

    async def entities(self, ids: Iterable[str]) -> Put:
        """Return entities by id."""
        return _defining(await self._any(Kind.ENTITIES, "ARRAY_CONTAINS(@values, c.id)", ids))

    async def relations(self, ids: Iterable[str]) -> Put:
        """Return all relations that begin or end at some entities."""
        found = await self._any(Kind.RELATIONS, _RELATES, ids)
        return Put(_WHERE, relations=tuple(_relations_in(found)))

    async def every_relation(self) -> Put:
        """Return all relations."""
        found = await self._containers.query(Kind.RELATIONS, None, "SELECT * FROM c")
        return Put(_WHERE, relations=tuple(_relations_in(found)))

    async def mentions(self, ids: Iterable[str]) -> list[Passage]:
        """Return all chunks that mention some entities."""
        return _passages_in(await self._any(Kind.CHUNKS, _MENTIONS, ids))

    async def passages(self, ids: Iterable[str]) -> list[Passage]:
        """Return chunks by id."""
        where = "ARRAY_CONTAINS(@values, c.id) OR ARRAY_CONTAINS(@values, c.chunkId)"
        return _passages_in(await self._any(Kind.CHUNKS, where, ids))

    async def every_passage(self) -> list[Passage]:
        """Return all chunks, without their vectors."""
        what = "c.id, c.chunkId, c.content, c.title, c.url, c.entityIds"
        found = await self._containers.query(Kind.CHUNKS, None, f"SELECT {what} FROM c")  # noqa: S608
        return _passages_in(found)

    async def _any(self, kind: Kind, where: str, values: Iterable[str]) -> list[Item]:
        ordered = sorted(set(values))
        parts = [ordered[at : at + _BATCH] for at in range(0, len(ordered), _BATCH)]
        found = await self._containers.run_all(
            self._containers.query(kind, None, f"SELECT * FROM c WHERE {where}", {"values": part})  # noqa: S608
            for part in parts
        )
        return list({item["id"]: item for part in found for item in part}.values())


def units_of(passages: Iterable[Passage]) -> dict[str, Put]:
    """Return documents as their chunks tell of them, by id."""
    own: dict[str, list[Passage]] = defaultdict(list)
    for passage in passages:
        own[passage.document.id].append(passage)
    return {
        name: Put(each[0].document, tuple(one.chunk for one in each), key=each[0].version)
        for name, each in own.items()
    }


def _defining(items: Iterable[Item]) -> Put:
    return Put(_WHERE, entities=tuple(_entity_in(item) for item in items if _text(item, "name")))


def _entity_in(item: Item) -> Entity:
    aliases = frozenset(one for one in _list(item, "aliases") if isinstance(one, str) and one)
    kept = item.get("metadata")
    metadata = kept if isinstance(kept, dict) else {}
    told = {name: value for name, value in metadata.items() if isinstance(value, str)}
    return Entity(item["id"], item["name"], _text(item, "type"), aliases, told)


def _relations_in(items: Iterable[Item]) -> Iterable[Relation]:
    for item in items:
        ends = (_text(item, "sourceEntityId"), _text(item, "targetEntityId"))
        kind = _text(item, "relationType")
        if all((*ends, kind)):
            evidence = tuple(one for one in _list(item, "evidenceChunkIds") if isinstance(one, str))
            yield Relation(*ends, kind, evidence=evidence, id=item["id"])


def _passages_in(items: Iterable[Item]) -> list[Passage]:
    found = (_passage_in(item) for item in items if _text(item, "content"))
    return sorted(found, key=lambda one: one.chunk.id)


def _passage_in(item: Item) -> Passage:
    name, text = _text(item, "chunkId") or item["id"], item["content"]
    mentioned = tuple(one for one in _list(item, "entityIds") if isinstance(one, str))
    document = Document(name.partition("#")[0], _text(item, "title"), _text(item, "url"))
    return Passage(Chunk(name, text, 0, len(text), entity_ids=mentioned), document, item["id"])


def _text(item: Item, name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""


def _list(item: Item, name: str) -> Sequence[Any]:
    value = item.get(name)
    return value if isinstance(value, list) else ()
