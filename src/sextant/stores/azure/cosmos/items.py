"""How knowledge stands in the containers: the seed's fields, and ours beside them.

An item is one version of one thing. It is there for readers from the commit ``since`` on, until the
commit ``until``. An id of Cosmos DB takes no `#` or `/` and 255 characters at most, so items have
ids of their own and the things theirs in a field: ``chunkId``, ``entityId``, ``documentId``.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

import numpy as np

from sextant.stores.azure.cosmos.containers import Item, Kind
from sextant.text.names import normal_name
from sextant.types import Chunk, Definition, Document, Entity, Passage, Pieces, Put, Relation

FOR_EVER = 2**53 - 1
"""The commit until which an item holds that nothing has replaced: higher than any number."""

DOCUMENT = "document"
_LEAST_GRAM = 2


def item_id(since: int, *names: str) -> str:
    """Return an id that the same thing has in the same commit, whatever its name is made of."""
    digest = hashlib.sha256(json.dumps(names).encode()).hexdigest()
    return f"{since}-{digest[:40]}"


def order_key(text: str) -> str:
    """Return a text that every engine sorts as its characters' numbers: all ASCII, and no blanks.

    Engines differ in how they compare characters beyond those.
    """
    return "".join(map(_ordered, text))


def _ordered(letter: str) -> str:
    if "!" <= letter <= "}":
        return letter
    return f" {ord(letter):02x}" if letter <= " " else f"~{ord(letter):06x}"


def grams_of(name: str) -> set[str]:
    """Return the pairs of letters that stand side by side in a name."""
    return {name[at : at + _LEAST_GRAM] for at in range(len(name) - 1)}


def items_of(unit: Put, tenant: str, since: int) -> Iterator[tuple[Kind, Item]]:
    """Yield all items of a unit as it is kept: its document, chunks, entities and relations."""
    shared: Item = {
        "tenant": tenant,
        "documentId": unit.document.id,
        "personas": sorted(unit.document.personas),
        "since": since,
        "until": FOR_EVER,
    }
    document = document_values(unit.document)
    yield Kind.RECORDS, _document_item(unit, document, shared, since)
    for at, chunk in enumerate(unit.chunks):
        own = {"at": at, "document": document, "version": unit.key}
        yield Kind.CHUNKS, shared | own | _chunk_item(unit, chunk, at, since)
    for at, entity in enumerate(unit.entities):
        own = {"at": at, "reputation": unit.document.reputation}
        yield Kind.ENTITIES, shared | own | _entity_item(unit, entity, since)
    for at, relation in enumerate(unit.relations):
        yield Kind.RELATIONS, shared | {"at": at} | _relation_item(unit, relation, at, since)


def removal_item(document_id: str, tenant: str, since: int) -> Item:
    """Return what says that a document is gone since a commit."""
    return {
        "id": item_id(since, DOCUMENT, document_id),
        "tenant": tenant,
        "kind": DOCUMENT,
        "documentId": document_id,
        "personas": [],
        "isRemoved": True,
        "since": since,
        "until": FOR_EVER,
    }


def _document_item(unit: Put, document: Item, shared: Item, since: int) -> Item:
    return shared | {
        "id": item_id(since, DOCUMENT, unit.document.id),
        "kind": DOCUMENT,
        "order": order_key(unit.document.id),
        "document": document,
        "version": unit.key,
        "isRemoved": False,
        "width": None if unit.vectors is None else unit.vectors.shape[1],
        "hasPieces": unit.pieces is not None,
    }


def _chunk_item(unit: Put, chunk: Chunk, at: int, since: int) -> Item:
    item: Item = {
        "id": item_id(since, unit.document.id, chunk.id),
        "chunkId": chunk.id,
        "content": chunk.text,
        "title": unit.document.title,
        "url": unit.document.url,
        "entityIds": list(chunk.entity_ids),
        "start": chunk.start,
        "end": chunk.end,
        "headings": list(chunk.headings),
        "page": chunk.page,
    }
    if unit.vectors is not None:
        # The shortest decimals that stand for each number: half of what the digits of a double are.
        item["contentVector"] = [float(str(number)) for number in unit.vectors[at]]
    pieces = unit.pieces[at] if unit.pieces else None
    if pieces is not None:
        item["pieces"] = {
            "spans": pieces.spans.tolist(),
            "codes": b64encode(np.ascontiguousarray(pieces.codes).tobytes()).decode(),
            "width": pieces.codes.shape[1],
        }
    return item


def _entity_item(unit: Put, entity: Entity, since: int) -> Item:
    names = sorted({normal_name(one) for one in (entity.name, *entity.aliases)})
    return {
        "id": item_id(since, unit.document.id, entity.id),
        "entityId": entity.id,
        "order": order_key(entity.id),
        "name": entity.name,
        "type": entity.type,
        "aliases": sorted(entity.aliases),
        "metadata": dict(entity.metadata),
        "names": names,
        "words": sorted({word for name in names for word in name.split()}),
        "grams": sorted({gram for name in names for gram in grams_of(name)}),
        "lengths": sorted({len(name) for name in names}),
    }


def _relation_item(unit: Put, relation: Relation, at: int, since: int) -> Item:
    return {
        "id": item_id(since, unit.document.id, str(at)),
        "relationId": relation.id,
        "sourceEntityId": relation.source,
        "targetEntityId": relation.target,
        "relationType": relation.kind,
        "evidenceChunkIds": list(relation.evidence),
        "confidence": relation.confidence,
        "weight": relation.weight,
    }


_SETS = ("tags", "personas")
_TIMES = ("created", "modified")


def document_values(document: Document) -> Item:
    """Return a document as JSON values."""
    values: Item = {one.name: getattr(document, one.name) for one in fields(document)}
    for name in _SETS:
        values[name] = sorted(values[name])
    for name in _TIMES:
        moment: datetime | None = values[name]
        values[name] = moment.astimezone(UTC).isoformat() if moment else None
    values["metadata"] = dict(document.metadata)
    return values


def document_of(values: Mapping[str, Any]) -> Document:
    """Return a document from its JSON values."""
    own = dict(values)
    for name in _SETS:
        own[name] = frozenset(own[name])
    for name in _TIMES:
        own[name] = datetime.fromisoformat(own[name]) if own[name] else None
    return Document(**own)


def chunk_of(item: Item) -> Chunk:
    """Return a chunk from its item."""
    return Chunk(
        item["chunkId"],
        item["content"],
        item["start"],
        item["end"],
        tuple(item["headings"]),
        item.get("page"),
        tuple(item["entityIds"]),
    )


def passage_of(item: Item) -> Passage:
    """Return a chunk where it stands."""
    return Passage(chunk_of(item), document_of(item["document"]), item["version"])


def entity_of(item: Item) -> Entity:
    """Return an entity as one document defines it."""
    return Entity(
        item["entityId"], item["name"], item["type"], frozenset(item["aliases"]), item["metadata"]
    )


def definition_of(item: Item) -> Definition:
    """Return one document's word on an entity."""
    return Definition(
        entity_of(item), item["documentId"], item["reputation"], frozenset(item["personas"])
    )


def relation_of(item: Item) -> Relation:
    """Return one contribution to an edge."""
    return Relation(
        item["sourceEntityId"],
        item["targetEntityId"],
        item["relationType"],
        float(item["confidence"]),
        float(item["weight"]),
        tuple(item["evidenceChunkIds"]),
        id=item.get("relationId", ""),
    )


def unit_of(
    head: Item, chunks: Iterable[Item], entities: Iterable[Item], relations: Iterable[Item]
) -> Put:
    """Return a unit from its items, as it could be written again."""
    ordered = sorted(chunks, key=_place)
    vectors = None
    if head["width"] is not None:
        rows = [item["contentVector"] for item in ordered]
        vectors = np.array(rows, np.float32).reshape(len(rows), head["width"])
    return Put(
        document_of(head["document"]),
        tuple(map(chunk_of, ordered)),
        tuple(entity_of(item) for item in sorted(entities, key=_place)),
        tuple(relation_of(item) for item in sorted(relations, key=_place)),
        vectors,
        head["version"],
        pieces=tuple(map(_pieces_of, ordered)) if head["hasPieces"] else None,
    )


def _place(item: Item) -> int:
    at: int = item["at"]
    return at


def _pieces_of(item: Item) -> Pieces | None:
    kept = item.get("pieces")
    if kept is None:
        return None
    spans = np.array(kept["spans"], np.int32).reshape(-1, 2)
    codes = np.frombuffer(b64decode(kept["codes"]), np.int8)
    return Pieces(spans, codes.reshape(len(spans), kept["width"]))
