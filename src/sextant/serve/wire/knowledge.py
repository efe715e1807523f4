"""Documents, chunks, entities and relations on the wire: models, and nouns as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import Field

from sextant.ingest.keeping.draft import relation_id
from sextant.serve.wire.common.models import Unit, Wire
from sextant.types import Chunk, Counts, Document, Entity, NameMatch, Relation, Scope, is_own


class DocumentShape(Wire):
    """A source; times are in UTC, and no personas means that it is open to all."""

    id: str = Field(examples=["runbooks/service-a.md"])
    title: str
    url: str
    source_type: str
    language: str
    tags: list[str]
    personas: list[str]
    created: datetime | None
    modified: datetime | None
    reputation: Unit
    metadata: dict[str, str]
    owner: str | None = Field(
        description="Who brought it; none is whoever runs the store, or not for the caller to know."
    )


class ChunkShape(Wire):
    """A passage of a document, and the span of the document's text where it stands."""

    id: str = Field(examples=["runbooks/service-a.md#c0"])
    text: str
    start: int
    end: int
    headings: list[str]
    page: int | None
    entity_ids: list[str]


class DocumentsPage(Wire):
    """Some documents by id, and where the next ones are."""

    documents: list[DocumentShape]
    next: str | None = Field(description="The address of the next page; none after the last.")


class DocumentPage(Wire):
    """A document, its version, and some of its chunks in reading order."""

    document: DocumentShape
    version: str
    chunk_count: int
    chunks: list[ChunkShape]
    next: str | None = Field(description="The address of the next chunks; none after the last.")


class EntityShape(Wire):
    """A thing with a name."""

    id: str = Field(examples=["component:default/service-a"])
    name: str = Field(examples=["Service A"])
    type: str
    aliases: list[str]
    metadata: dict[str, str]


class MatchShape(EntityShape):
    """An entity whose name fits, and how well; 1 is exact."""

    matched: str
    score: float


class RelationShape(Wire):
    """An edge, how sure it is, which chunks say it, and the sentence of the first that does."""

    # Its ends and its kind bear the names of a bundle's records, too.
    id: str = Field(examples=["rel-1"])
    source_entity_id: str
    target_entity_id: str
    relation_type: str = Field(examples=["depends_on"])
    source: str
    target: str
    kind: str = Field(examples=["depends_on"])
    confidence: Unit
    weight: float
    support: int
    evidence_chunk_ids: list[str]
    sentence: str


class FoundEntities(Wire):
    """The entities whose names fit, best first."""

    entities: list[MatchShape]


class EntityPage(EntityShape):
    """An entity and its strongest relations."""

    relations: list[RelationShape]


class LinkShape(RelationShape):
    """A relation that was crossed, and at which hop."""

    hop: int


class Expanded(Wire):
    """What lies round some entities; of those in ``capped`` not all edges were followed."""

    entities: list[EntityShape]
    relations: list[LinkShape]
    capped: list[str]
    truncated: bool
    unknown: list[str] = Field(description="What was asked for that nothing is called here.")


class CountsShape(Wire):
    """How much there is, as far as the caller sees."""

    documents: int
    chunks: int
    entities: int
    relations: int


def document_of(document: Document, scope: Scope) -> dict[str, Any]:
    """Return a document as plain values, with its owner if the scope may know that."""
    return {
        "id": document.id,
        "title": document.title,
        "url": document.url,
        "sourceType": document.source_type,
        "language": document.language,
        "tags": sorted(document.tags),
        "personas": sorted(document.personas),
        "created": moment_of(document.created),
        "modified": moment_of(document.modified),
        "reputation": document.reputation,
        "metadata": _shown(document.metadata),
        "owner": (scope.knows_owner(document) and document.owner) or None,
    }


def chunk_of(chunk: Chunk) -> dict[str, Any]:
    """Return a chunk as plain values."""
    return {
        "id": chunk.id,
        "text": chunk.text,
        "start": chunk.start,
        "end": chunk.end,
        "headings": list(chunk.headings),
        "page": chunk.page,
        "entityIds": list(chunk.entity_ids),
    }


def entity_of(entity: Entity) -> dict[str, Any]:
    """Return an entity as plain values."""
    return {
        "id": entity.id,
        "name": entity.name,
        "type": entity.type,
        "aliases": sorted(entity.aliases),
        "metadata": _shown(entity.metadata),
    }


def match_of(match: NameMatch) -> dict[str, Any]:
    """Return an entity and how well its name fits as plain values."""
    return {**entity_of(match.entity), "matched": match.matched, "score": match.score}


def relation_of(relation: Relation) -> dict[str, Any]:
    """Return a relation as plain values."""
    return {
        "id": relation_id(relation),
        "sourceEntityId": relation.source,
        "targetEntityId": relation.target,
        "relationType": relation.kind,
        "source": relation.source,
        "target": relation.target,
        "kind": relation.kind,
        "confidence": relation.confidence,
        "weight": relation.weight,
        "support": relation.support,
        "evidenceChunkIds": list(relation.evidence),
    }


def relations_of(relations: Sequence[Relation], said: Sequence[str]) -> list[dict[str, Any]]:
    """Return relations, each with the sentence that says it, as plain values."""
    pairs = zip(relations, said, strict=True)
    return [{**relation_of(one), "sentence": sentence} for one, sentence in pairs]


def counts_of(counts: Counts) -> dict[str, int]:
    """Return how much there is as plain values."""
    return {
        "documents": counts.documents,
        "chunks": counts.chunks,
        "entities": counts.entities,
        "relations": counts.relations,
    }


def moment_of(moment: datetime | None) -> str | None:
    """Return a time in UTC, as JSON has it."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z") if moment else None


def _shown(metadata: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in metadata.items() if not is_own(name)}
