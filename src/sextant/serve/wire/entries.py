"""Entries and artifacts on the wire: an entry is a passage, its artifact the document of it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import numpy as np
from pydantic import Field, model_validator

from sextant.core.entries import Entry
from sextant.limits import DEFAULT
from sextant.serve.wire.common.models import WHOLE
from sextant.serve.wire.common.pascal import (
    Asked,
    Moment,
    Name,
    Names,
    Pascal,
    PascalReply,
    Text,
    Vector,
)
from sextant.serve.wire.filters import KnowledgeSearchFilters
from sextant.serve.wire.knowledge import document_of, moment_of
from sextant.serve.wire.pipeline import (
    MOST_CANDIDATES,
    ArtifactMetadataSummary,
    artifact_of,
)
from sextant.text.orders import marks_of
from sextant.types import Found, Match, Passage, Put, Scope

_MOST_METADATA = 100
_MOST_HEADINGS = 20
Title = Annotated[str, Field(max_length=DEFAULT.name)]
TopK = Annotated[int, Field(ge=1, le=MOST_CANDIDATES), WHOLE]


class ByVectorRequest(Asked):
    """Which entries are near to a vector."""

    query_vector: Vector = Field(description="As LlmOrchestration.GenerateEmbeddings makes it.")
    filters: KnowledgeSearchFilters | None = None
    top_k: TopK = 50


class ByFiltersRequest(Asked):
    """Which entries have keywords, or without any, which ones the filters let through by id."""

    keywords: Annotated[str, Field(max_length=DEFAULT.query)] = ""
    filters: KnowledgeSearchFilters | None = None
    top_k: TopK = 50

    @property
    def subject(self) -> str:
        """What is looked for."""
        return self.keywords


class EntryRequest(Asked):
    """One entry."""

    entry_id: Name

    @property
    def subject(self) -> str:
        """Which one."""
        return self.entry_id


class ArtifactRequest(Asked):
    """One artifact."""

    artifact_id: Name

    @property
    def subject(self) -> str:
        """Which one."""
        return self.artifact_id


class ArtifactFields(Pascal):
    """What an artifact is to be; what is left out stays as it is."""

    title: Title | None = None
    url: Annotated[str, Field(max_length=DEFAULT.url)] | None = None
    source_type: Annotated[str, Field(max_length=DEFAULT.id)] | None = None
    language: Annotated[str, Field(max_length=35)] | None = None
    tags: Names | None = None
    persona_ids: Names | None = Field(None, description="Who may see it; none of them is all.")
    creation_date: Moment | None = None
    last_modified_date: Moment | None = None
    source_reputation_score: Annotated[float, Field(ge=0, le=1)] | None = Field(
        None, description="Only for the role Sextant.Admin."
    )
    metadata: (
        Annotated[
            dict[Name, Annotated[str, Field(max_length=DEFAULT.metadata)]],
            Field(max_length=_MOST_METADATA),
        ]
        | None
    ) = None


class UpsertEntryRequest(Asked):
    """An entry to be written, and what its artifact is to be."""

    artifact_id: Name
    entry_id: Name | None = Field(None, description="Without one, it is named by its text.")
    content: Text
    headings: Annotated[list[Title], Field(max_length=_MOST_HEADINGS)] = Field([])
    page: Annotated[int, Field(ge=0, lt=2**31), WHOLE] | None = None
    entity_ids: Names = Field([], description="The entities that it mentions.")
    vector: Vector | None = Field(None, description="Of the content; left out, it is made here.")
    timestamp: Moment | None = Field(
        None, description="When it was written; else its artifact's dates count."
    )
    artifact: ArtifactFields | None = None

    @property
    def subject(self) -> str:
        """Which one."""
        return f"{self.artifact_id} {self.entry_id or ''}".rstrip()

    @model_validator(mode="after")
    def _says_something(self) -> UpsertEntryRequest:
        if not self.content.strip():
            raise ValueError("Content is blank")
        return self


class KnowledgeEntry(PascalReply):
    """An entry, where it stands in its artifact, and that artifact."""

    entry_id: str
    content: str
    start: int
    end: int
    headings: list[str]
    page: int | None
    entity_ids: list[str]
    timestamp: datetime | None
    version: str
    associated_artifact: ArtifactMetadataSummary


class FoundEntry(KnowledgeEntry):
    """An entry that was found, its score, and marks as SearchAndRank has them."""

    score: float
    marks: list[str]


class FoundEntries(PascalReply):
    """Entries, best first, and the commit at which that holds."""

    results: list[FoundEntry]
    commit: int


class WrittenEntry(KnowledgeEntry):
    """An entry as it stands now, and whether it is new."""

    created: bool


class DeletedEntry(PascalReply):
    """Which entry is gone, of which artifact, and whether that went with it."""

    entry_id: str
    artifact_id: str
    artifact_deleted: bool


class ArtifactMetadata(ArtifactMetadataSummary):
    """All that is known of an artifact, and its entries in reading order."""

    language: str
    tags: list[str]
    persona_ids: list[str]
    metadata: dict[str, str]
    version: str
    entry_ids: list[str]


def entry_of(request: UpsertEntryRequest) -> Entry:
    """Return the entry that a request wants written."""
    return Entry(
        request.artifact_id,
        request.content,
        request.entry_id or "",
        tuple(request.headings),
        request.page,
        tuple(request.entity_ids),
        _fields(request.artifact) if request.artifact else {},
        request.timestamp,
        None if request.vector is None else np.asarray(request.vector, np.float32),
    )


def entry_fields(passage: Passage) -> dict[str, Any]:
    """Return an entry as plain values."""
    chunk = passage.chunk
    return {
        "EntryId": chunk.id,
        "Content": chunk.text,
        "Start": chunk.start,
        "End": chunk.end,
        "Headings": list(chunk.headings),
        "Page": chunk.page,
        "EntityIds": list(chunk.entity_ids),
        "Timestamp": moment_of(passage.timestamp),
        "Version": passage.version,
        "AssociatedArtifact": artifact_of(passage.document).model_dump(mode="json", by_alias=True),
    }


def found_of(found: Found) -> dict[str, Any]:
    """Return what a search of entries found as plain values."""
    return {"Results": [_found(one) for one in found.matches], "Commit": found.commit}


def artifact_told(unit: Put, scope: Scope) -> dict[str, Any]:
    """Return all of an artifact but its entries' texts as plain values."""
    plain = document_of(unit.document, scope)
    return {
        **artifact_of(unit.document).model_dump(mode="json", by_alias=True),
        "Language": plain["language"],
        "Tags": plain["tags"],
        "PersonaIds": plain["personas"],
        "Metadata": plain["metadata"],
        "Version": unit.key,
        "EntryIds": [chunk.id for chunk in unit.chunks],
    }


def _found(match: Match) -> dict[str, Any]:
    marks = list(marks_of(match.passage))
    return {**entry_fields(match.passage), "Score": match.score, "Marks": marks}


def _fields(given: ArtifactFields) -> dict[str, Any]:
    fields = {
        "title": given.title,
        "url": given.url,
        "source_type": given.source_type,
        "language": given.language,
        "tags": None if given.tags is None else frozenset(given.tags),
        "personas": None if given.persona_ids is None else frozenset(given.persona_ids),
        "created": given.creation_date,
        "modified": given.last_modified_date,
        "reputation": given.source_reputation_score,
        "metadata": given.metadata,
    }
    return {name: value for name, value in fields.items() if value is not None}
