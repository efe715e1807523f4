"""From an entry as a KnowledgeStore tells it to a passage. Nothing that it tells is taken on trust.

Its fields are those of PersonaKnowledgeEntry and ArtifactMetadataSummary, however they are spelt.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sextant.links.entries.listed import first_of
from sextant.types import Chunk, Document, Passage, timestamp_field

Entry = Mapping[str, Any]

_ID = ("PersonaKnowledgeEntryId", "EntryId", "Id")
_TEXT = ("Content", "Text", "ContentSummary", "Snippet", "Summary")
_SCORE = ("Score", "SimilarityScore", "Similarity", "RelevanceScore", "Relevance")
_LISTS = ("Results", "Entries", "Items", "result", "Value")
_NESTED = ("PersonaKnowledgeEntry", "Entry", "KnowledgeEntry")
_ARTIFACT = ("AssociatedArtifact", "Artifact", "ArtifactMetadata")
_USUAL_REPUTATION = Document("").reputation


def entries_in(told: Entry) -> list[Entry]:
    """Return the entries in a reply, each with what stands beside it, such as its score."""
    found = first_of(told, _LISTS)
    rows = found if isinstance(found, list) else []
    return [_flat(row) for row in rows if isinstance(row, Mapping)]


def entry_in(told: Entry) -> Entry:
    """Return the one entry that a reply is, or holds."""
    inner = first_of(told, _LISTS)
    return _flat(inner if isinstance(inner, Mapping) else told)


def entry_id(entry: Entry) -> str:
    """Return the id of an entry, or nothing."""
    return _text(first_of(entry, _ID))


def entry_text(entry: Entry) -> str:
    """Return what an entry says, or nothing where only its id was told."""
    return _text(first_of(entry, _TEXT))


def tenant_in(entry: Entry) -> str:
    """Return the tenant that an entry names as its own, if it does."""
    return _text(first_of(entry, ("TenantId",)))


def score_of(entry: Entry, place: int) -> float:
    """Return the score of an entry; where none is told, one that keeps the order."""
    told = first_of(entry, _SCORE)
    return _number(told, 1.0 / (1.0 + place))


def passage_of(entry: Entry) -> Passage:
    """Return an entry as a passage of its artifact."""
    told = first_of(entry, _ARTIFACT)
    artifact: Entry = told if isinstance(told, Mapping) else {}
    name, text = entry_id(entry), entry_text(entry)
    chunk = Chunk(
        name,
        text,
        0,
        len(text),
        _texts(first_of(entry, ("Headings",))),
        entity_ids=_texts(first_of(entry, ("EntityIds",))),
    )
    return Passage(chunk, _document(entry, artifact), _text(first_of(entry, ("Version",))))


def _document(entry: Entry, artifact: Entry) -> Document:
    def told(*names: str) -> Any:
        own = first_of(artifact, names)
        return first_of(entry, names) if own is None else own

    name = entry_id(entry)
    stamp = _moment(first_of(entry, ("Timestamp",)))
    artifact_id = told("ArtifactId") or first_of(artifact, ("Id",))
    return Document(
        _text(artifact_id) or name,
        _text(told("Title", "FileName", "Name")),
        _text(told("Url", "SourceUri", "Uri")),
        _text(told("SourceType")),
        _text(told("Language")),
        frozenset(_texts(told("Tags"))),
        frozenset((*_texts(told("PersonaIds")), *filter(None, [_text(told("PersonaId"))]))),
        _moment(told("CreationDate", "CreatedDate", "Created")),
        _moment(told("LastModifiedDate", "ModifiedDate", "Modified")),
        min(1.0, max(0.0, _number(told("SourceReputationScore"), _USUAL_REPUTATION))),
        {timestamp_field(name): stamp.isoformat()} if stamp else {},
    )


def _flat(row: Entry) -> Entry:
    """Return an entry that stands inside a result together with what the result says."""
    inner = first_of(row, _NESTED)
    return {**row, **inner} if isinstance(inner, Mapping) else row


def _text(value: object) -> str:
    """Return a text without halves of surrogate pairs, which JSON can spell."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return ()
    return tuple(filter(None, map(_text, value)))


def _number(value: object, otherwise: float) -> float:
    is_number = type(value) in (int, float)
    number = float(value) if is_number else math.nan  # type: ignore[arg-type]
    return number if math.isfinite(number) else otherwise


def _moment(value: object) -> datetime | None:
    """Return a time in UTC; one without an offset is taken to be in it."""
    try:
        moment = datetime.fromisoformat(value if isinstance(value, str) else "")
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    try:
        return aware.astimezone(UTC)
    except OverflowError:
        return None
