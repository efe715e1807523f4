"""Queries on the graph: definitions, edges and mentions by entity, and entities by name.

What comes back is remembered by entity with its snapshot. Parts of documents that are known in this
way are units with the rest left out: sums over them are those over the whole store, as long as all
contributions to what is summed up are among them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from sextant.stores.azure.cosmos.containers import Item, Kind
from sextant.stores.azure.cosmos.items import entity_of, grams_of, relation_of
from sextant.stores.azure.cosmos.snapshot import Snapshot
from sextant.types import Chunk, Document, Link, NameMode, Put, Reach, Relation

_ANY_NAME = "EXISTS(SELECT VALUE n FROM n IN c.names WHERE ARRAY_CONTAINS(@values, n))"
_ANY_WORD = "EXISTS(SELECT VALUE n FROM n IN c.words WHERE ARRAY_CONTAINS(@values, n))"
_ANY_GRAM = "EXISTS(SELECT VALUE n FROM n IN c.grams WHERE ARRAY_CONTAINS(@values, n))"
_ANY_PREFIX = "EXISTS(SELECT VALUE n FROM n IN c.names WHERE STARTSWITH(n, @prefix))"
_ANY_LENGTH = "EXISTS(SELECT VALUE n FROM n IN c.lengths WHERE n <= @longest)"
_ANY_MENTION = "EXISTS(SELECT VALUE n FROM n IN c.entityIds WHERE ARRAY_CONTAINS(@values, n))"
_IS_CHUNK = "ARRAY_CONTAINS(@values, c.chunkId)"
_SHORT = 5
"""Names so short may be alike, and have no two letters side by side that both have.

Alike are names of S letters together that differ in S / 4 of them at most. Then 3 S / 8 letters
stand in both in the same order, of which each letter that differs parts one pair: S / 8 - 1 pairs
are left, and S is at least 1.6 times the length of either name.
"""
_LONGEST = 5 / 3
"""How many times longer than the one a name can be that is alike."""

_DEFINITION = (
    "c.id, c.entityId, c.name, c.type, c.aliases, c.metadata, c.documentId, c.reputation, c.names"
)
_RELATION = (
    "c.id, c.documentId, c.relationId, c.sourceEntityId, c.targetEntityId, c.relationType, "
    "c.evidenceChunkIds, c.confidence, c.weight"
)
_MENTION = "c.id, c.documentId, c.chunkId, c.entityIds"
_PASSAGE = f"{_MENTION}, c.content, c.start, c['end'], c.headings, c.page, c.document, c.version"
_FEW = 50
"""Entities and passages that are read ahead, since who asks for names asks for these next."""


async def definitions(snapshot: Snapshot, entity_ids: Iterable[str]) -> list[Item]:
    """Return what all documents say of some entities."""
    known, missing = snapshot.recall("definitions", entity_ids)
    found = await snapshot.fetch_any(
        Kind.ENTITIES, _DEFINITION, "ARRAY_CONTAINS(@values, c.entityId)", missing
    )
    return _noted(snapshot, "definitions", known, missing, found, lambda item: [item["entityId"]])


async def relations(snapshot: Snapshot, entity_ids: Iterable[str]) -> list[Item]:
    """Return all contributions to edges that begin or end at some entities."""
    known, missing = snapshot.recall("relations", entity_ids)
    found = await snapshot.fetch_any(
        Kind.RELATIONS,
        _RELATION,
        "ARRAY_CONTAINS(@values, c.sourceEntityId) OR ARRAY_CONTAINS(@values, c.targetEntityId)",
        missing,
    )
    return _noted(snapshot, "relations", known, missing, found, _ends)


async def mentions(snapshot: Snapshot, entity_ids: Iterable[str]) -> list[Item]:
    """Return all chunks that mention some entities, without their texts."""
    known, missing = snapshot.recall("mentions", entity_ids)
    found = await snapshot.fetch_any(Kind.CHUNKS, _MENTION, _ANY_MENTION, missing)
    return _noted(snapshot, "mentions", known, missing, found, lambda item: item["entityIds"])


async def subjects(snapshot: Snapshot, kind: str, entity_ids: Iterable[str]) -> list[Item]:
    """Return which documents have an edge of a kind to some entities."""
    topic = f"subjects {kind}"
    known, missing = snapshot.recall(topic, entity_ids)
    found = await snapshot.fetch_any(
        Kind.RELATIONS,
        "c.id, c.documentId, c.targetEntityId",
        "c.relationType = @relation AND ARRAY_CONTAINS(@values, c.targetEntityId)",
        missing,
        relation=kind,
    )
    return _noted(snapshot, topic, known, missing, found, lambda item: [item["targetEntityId"]])


async def chunks(snapshot: Snapshot, chunk_ids: Iterable[str]) -> list[Item]:
    """Return chunks by id, without their texts where these are not known yet."""
    known, missing = snapshot.recall("passages", chunk_ids)
    found = await snapshot.fetch_any(Kind.CHUNKS, _MENTION, _IS_CHUNK, missing)
    return [*(item for own in known.values() for item in own), *found]


async def passages(snapshot: Snapshot, chunk_ids: Iterable[str]) -> list[Item]:
    """Return chunks by id, each with its text and its document."""
    known, missing = snapshot.recall("passages", chunk_ids)
    found = await snapshot.fetch_any(Kind.CHUNKS, _PASSAGE, _IS_CHUNK, missing)
    return _noted(snapshot, "passages", known, missing, found, lambda item: [item["chunkId"]])


async def read_ahead(snapshot: Snapshot, items: Sequence[Item], links: Sequence[Link]) -> None:
    """Read what is next to ask for after a walk: who was reached, what says so, and their edges.

    Another walk from the same entities, along other edges, comes next: all edges count if they are
    few.
    """
    ends = sorted({end for item in items for end in _ends(item)})
    evidence = [name for item in items for name in item["evidenceChunkIds"]]
    if len(ends) > _FEW:
        ends = sorted({end for one in links for end in (one.relation.source, one.relation.target)})
        evidence = [name for one in links for name in one.relation.evidence]
    calls = [relations(snapshot, ends)]
    if len(ends) <= _FEW:
        calls += [definitions(snapshot, ends), passages(snapshot, evidence[:_FEW])]
    await snapshot.run_all(calls)


async def bearers(snapshot: Snapshot, names: Sequence[str], mode: NameMode) -> list[Item]:
    """Return all definitions of the entities that may bear some normal names.

    Exactly those that do where the names are asked for as they are; else some more.
    """
    if mode == NameMode.EXACT:
        known, missing = snapshot.recall("names", names)
        found = await snapshot.fetch_any(
            Kind.ENTITIES, "c.id, c.entityId, c.names", _ANY_NAME, missing
        )
        found = _noted(snapshot, "names", known, missing, found, lambda item: item["names"])
    else:
        parts = await snapshot.run_all(_near(snapshot, name, mode) for name in names)
        found = [item for part in parts for item in part]
    ids = sorted({item["entityId"] for item in found})
    calls = [definitions(snapshot, ids)]
    if mode == NameMode.EXACT and len(ids) <= _FEW:
        calls += [relations(snapshot, ids), mentions(snapshot, ids)]
        calls.append(subjects(snapshot, Reach().about, ids))
    return (await snapshot.run_all(calls))[0]


async def _near(snapshot: Snapshot, name: str, mode: NameMode) -> list[Item]:
    what = "c.entityId"
    if mode == NameMode.PREFIX:
        return await snapshot.fetch(Kind.ENTITIES, what, _ANY_PREFIX, prefix=name)
    if mode == NameMode.WORD:
        return await snapshot.fetch_any(Kind.ENTITIES, what, _ANY_WORD, name.split()[:1])
    if len(name) > _SHORT:
        return await snapshot.fetch_any(Kind.ENTITIES, what, _ANY_GRAM, grams_of(name))
    longest = int(len(name) * _LONGEST)
    return await snapshot.fetch(Kind.ENTITIES, what, _ANY_LENGTH, longest=longest)


def _ends(item: Item) -> list[str]:
    return [item["sourceEntityId"], item["targetEntityId"]]


def _noted(
    snapshot: Snapshot,
    topic: str,
    known: dict[str, list[Item]],
    missing: Sequence[str],
    found: Iterable[Item],
    names_of: Callable[[Item], Iterable[str]],
) -> list[Item]:
    """Remember what was found under the names that were asked for; return all, each item once."""
    own: dict[str, list[Item]] = {name: [] for name in missing}
    for item in found:
        for name in set(names_of(item)) & own.keys():
            own[name].append(item)
    snapshot.remember(topic, own)
    each = {item["id"]: item for part in (known, own) for items in part.values() for item in items}
    return list(each.values())


def defining(items: Iterable[Item]) -> list[Put]:
    """Return units that only define."""
    own: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        own[item["documentId"]].append(item)
    return [
        Put(
            Document(name, reputation=each[0]["reputation"]),
            entities=tuple(map(entity_of, each)),
        )
        for name, each in own.items()
    ]


def relating(items: Iterable[Item]) -> list[Put]:
    """Return units that only relate."""
    own: dict[str, list[Relation]] = defaultdict(list)
    for item in items:
        own[item["documentId"]].append(relation_of(item))
    return [Put(Document(name), relations=tuple(each)) for name, each in own.items()]


def mentioning(items: Iterable[Item], abouts: Iterable[Item], kind: str) -> list[Put]:
    """Return units that only mention, and say of their documents what these are about."""
    own: dict[str, list[Chunk]] = defaultdict(list)
    for item in items:
        mentioned = tuple(item["entityIds"])
        own[item["documentId"]].append(Chunk(item["chunkId"], "", entity_ids=mentioned))
    about: dict[str, list[Relation]] = defaultdict(list)
    for item in abouts:
        about[item["documentId"]].append(Relation("", item["targetEntityId"], kind))
    return [
        Put(Document(name), tuple(each), relations=tuple(about[name])) for name, each in own.items()
    ]
