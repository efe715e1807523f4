"""What may be written: documents with all that they bring, counters, threads, feedback."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sextant.errors import InvalidInput, TooLarge
from sextant.limits.asking import check_ids
from sextant.limits.names import check_name
from sextant.limits.values import (
    DEFAULT,
    Limits,
    at_most,
    between,
    collected,
    each,
    label,
    labels,
    listed,
    moment,
    number,
    text,
    unique,
)
from sextant.types import Change, Chunk, Document, Entity, Feedback, Put, Relation, Remove, Thread

_MOST_COUNTED = 2**63 - 1
_SHORTEST_LEASE, _LONGEST_LEASE = 0.001, 3_600.0
"""An hour: whoever needs longer renews it, and whoever dies blocks nobody for longer."""


def check_changes(changes: Sequence[Change], limits: Limits = DEFAULT) -> None:
    """Refuse a batch in which any unit cannot be stored whole, or two are about one document."""
    if not isinstance(changes, list | tuple):
        raise InvalidInput("The changes are not a list.", "Pass a list of Put and Remove.")
    at_most("changes in a batch", len(changes), limits.batch)
    for change in changes:
        if isinstance(change, Put):
            _check_put(change, limits)
        elif isinstance(change, Remove):
            label("document id", change.document_id, limits.id)
            _check_over(change.over, limits)
        else:
            raise InvalidInput(f"A change is a {type(change).__name__}.", "Pass Put or Remove.")
    unique("document id in the batch", [change.document_id for change in changes])


def check_counters(increments: Mapping[str, int], limits: Limits = DEFAULT) -> None:
    """Refuse counters that are too many or cannot be added."""
    check_ids("counter", tuple(increments), limits)
    for name, step in increments.items():
        between(f"increment of {name[:40]!r}", step, -(2**53), 2**53)


def check_totals(totals: Mapping[str, int]) -> None:
    """Refuse what counters would add up to if it is past 64 bits."""
    for name, total in totals.items():
        if abs(total) > _MOST_COUNTED:
            raise TooLarge(
                f"The counter {name[:40]!r} would go past {_MOST_COUNTED}.",
                "Go on with a counter of another name.",
            )


def check_lease(
    name: str, holder: str, seconds: float | None = None, limits: Limits = DEFAULT
) -> None:
    """Refuse a lease that nobody can hold, or not for so long."""
    label("lease", name, limits.id)
    label("lease's holder", holder, limits.id)
    if seconds is not None:
        number("lease's seconds", seconds, _SHORTEST_LEASE, _LONGEST_LEASE)


def check_thread(thread: Thread, limits: Limits = DEFAULT) -> None:
    """Refuse a thread that cannot be saved."""
    label("thread id", thread.id, limits.id)
    text("thread state", thread.state, limits.state)
    between("thread version", thread.version, 0, 2**62)
    text("thread title", thread.title, limits.name)


def check_feedback(items: Sequence[Feedback], limits: Limits = DEFAULT) -> None:
    """Refuse feedback that is too long or about nothing."""
    at_most("feedback items", len(items), limits.batch)
    for item in items:
        label("feedback subject", item.subject, limits.id)
        label("feedback verdict", item.verdict, limits.id)
        text("feedback user", item.user, limits.id)
        text("feedback comment", item.comment, limits.text)
        moment("feedback time", item.at)


def _check_put(put: Put, limits: Limits) -> None:
    if not isinstance(put.document, Document):
        raise InvalidInput(f"A document is a {type(put.document).__name__}.", "Pass a Document.")
    _check_document(put.document, limits)
    text("key", put.key, limits.id)
    _check_over(put.over, limits)
    each("chunks of a document", put.chunks, Chunk, limits.chunks)
    each("entities of a document", put.entities, Entity, limits.entities)
    each("relations of a document", put.relations, Relation, limits.relations)
    for chunk in put.chunks:
        _check_chunk(chunk, limits)
    for entity in put.entities:
        _check_entity(entity, limits)
    unique("chunk id", [chunk.id for chunk in put.chunks])
    unique("entity id", [entity.id for entity in put.entities])
    own = {chunk.id for chunk in put.chunks}
    for relation in put.relations:
        _check_relation(relation, own, limits)


def _check_over(version: str | None, limits: Limits) -> None:
    if version is not None:
        text("version to be replaced", version, limits.id)


def _check_document(document: Document, limits: Limits) -> None:
    check_name("document id", document.id, limits.id)
    text("title", document.title, limits.name)
    text("url", document.url, limits.url)
    text("source type", document.source_type, limits.id)
    text("language", document.language, limits.id)
    labels("tag", document.tags, limits)
    collected("personas", document.personas, limits.values)
    for persona in document.personas:
        check_name("persona", persona, limits.id)
    moment("created", document.created)
    moment("modified", document.modified)
    number("reputation", document.reputation, 0.0, 1.0)
    _check_metadata(document.metadata, limits)
    if document.owner != "":
        check_name("owner", document.owner, limits.id)


def _check_chunk(chunk: Chunk, limits: Limits) -> None:
    check_name("chunk id", chunk.id, limits.id)
    label("chunk text", chunk.text, limits.text)
    between("chunk start", chunk.start, 0, 2**53)
    between("chunk end", chunk.end, chunk.start, 2**53)
    if chunk.page is not None:
        between("page", chunk.page, 0, 2**31)
    listed("headings of a chunk", chunk.headings, limits.values)
    for heading in chunk.headings:
        text("heading", heading, limits.name)
    listed("entity ids of a chunk", chunk.entity_ids, limits.values)
    labels("entity id", chunk.entity_ids, limits)


def _check_entity(entity: Entity, limits: Limits) -> None:
    check_name("entity id", entity.id, limits.id)
    label("entity name", entity.name, limits.name)
    text("entity type", entity.type, limits.id)
    labels("alias", entity.aliases, limits)
    _check_metadata(entity.metadata, limits)


def _check_relation(relation: Relation, own_chunks: Collection[str], limits: Limits) -> None:
    label("relation source", relation.source, limits.id)
    label("relation target", relation.target, limits.id)
    label("relation kind", relation.kind, limits.id)
    number("confidence", relation.confidence, 0.0, 1.0)
    number("weight", relation.weight, 0.0, 1e6)
    text("relation id", relation.id, limits.id)
    listed("evidence chunks of a relation", relation.evidence, limits.chunks)
    for chunk_id in relation.evidence:
        label("evidence", chunk_id, limits.id)
        if chunk_id not in own_chunks:
            raise InvalidInput(
                f"The evidence {chunk_id[:80]!r} is not a chunk of the same document.",
                "A document contributes relations on the evidence of its own chunks only.",
            )


def _check_metadata(metadata: Mapping[str, str], limits: Limits) -> None:
    if not isinstance(metadata, Mapping):
        raise InvalidInput(
            "The metadata is not a mapping of texts to texts.", "Pass a dict, if only an empty one."
        )
    at_most("metadata fields", len(metadata), limits.values)
    for name, value in metadata.items():
        label("metadata field", name, limits.id)
        text(f"metadata {name[:40]!r}", value, limits.metadata)
