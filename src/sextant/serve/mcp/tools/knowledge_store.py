"""Tools over single entries: find, read, write and delete them. Knows no question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from sextant.core.entries import Entry
from sextant.query import Query
from sextant.retrieval.events import Emit
from sextant.serve.caller import Role
from sextant.serve.mcp.tool import Plain, Tool
from sextant.serve.wire.entries import (
    ArtifactMetadata,
    ArtifactRequest,
    ByFiltersRequest,
    ByVectorRequest,
    DeletedEntry,
    EntryRequest,
    FoundEntries,
    KnowledgeEntry,
    UpsertEntryRequest,
    WrittenEntry,
    artifact_told,
    entry_fields,
    entry_of,
    found_of,
)
from sextant.serve.wire.filters import filter_of
from sextant.types import Found, Passage, Put, Scope


class Shelf(Protocol):
    """What these tools ask of a store."""

    async def search(self, scope: Scope, query: Query) -> Found:
        """Find passages."""


class Kept(Protocol):
    """What these tools ask of the core, beside searching."""

    async def get(self, scope: Scope, entry_id: str) -> Passage:
        """Return an entry."""

    async def artifact(self, scope: Scope, document_id: str) -> Put:
        """Return a document with its entries."""

    async def upsert(self, scope: Scope, entry: Entry) -> tuple[Passage, bool]:
        """Write an entry, and return it with whether it is new."""

    async def delete(self, scope: Scope, entry_id: str) -> tuple[str, bool]:
        """Take an entry out, and return its document's id with whether that is gone, too."""


def tools(shelf: Shelf, entries: Kept) -> Sequence[Tool]:
    """Return the tools."""
    return (*_finding(shelf), *_reading(entries), *_writing(entries))


def _finding(shelf: Shelf) -> Sequence[Tool]:
    async def by_vector(scope: Scope, request: ByVectorRequest, _: Emit) -> Plain:
        vector = np.asarray(request.query_vector, np.float32)
        query = Query(vector=vector, filter=filter_of(request.filters), k=request.top_k)
        return found_of(await shelf.search(scope, query))

    async def by_filters(scope: Scope, request: ByFiltersRequest, _: Emit) -> Plain:
        query = Query(request.keywords, filter=filter_of(request.filters), k=request.top_k)
        return found_of(await shelf.search(scope, query))

    return (
        Tool(
            "KnowledgeStore.SearchPersonaKnowledgeByVector",
            "Find entries by vector",
            "Finds the entries nearest to a vector, with optional filters. Scores are cosines. "
            "Prefer RAGPipeline.SearchAndRank unless you need this one way of finding alone.",
            ByVectorRequest,
            FoundEntries,
            Role.READ,
            by_vector,
        ),
        Tool(
            "KnowledgeStore.SearchPersonaKnowledgeByFilters",
            "Find entries by keywords and filters",
            "Finds entries by keywords, by filters on dates, source types, tags, entities and "
            "artifacts, or by both. Without keywords it lists what the filters let through.",
            ByFiltersRequest,
            FoundEntries,
            Role.READ,
            by_filters,
        ),
    )


def _reading(entries: Kept) -> Sequence[Tool]:
    async def get(scope: Scope, request: EntryRequest, _: Emit) -> Plain:
        return entry_fields(await entries.get(scope, request.entry_id))

    async def artifact(scope: Scope, request: ArtifactRequest, _: Emit) -> Plain:
        unit = await entries.artifact(scope, request.artifact_id)
        return artifact_told(unit, scope)

    return (
        Tool(
            "KnowledgeStore.GetEntry",
            "Read an entry",
            "Returns one entry whole, by the id that a search or a citation gave.",
            EntryRequest,
            KnowledgeEntry,
            Role.READ,
            get,
        ),
        Tool(
            "KnowledgeStore.GetArtifactMetadata",
            "Read what is known of an artifact",
            "Returns the metadata of a document and the ids of its entries in reading order.",
            ArtifactRequest,
            ArtifactMetadata,
            Role.READ,
            artifact,
        ),
    )


def _writing(entries: Kept) -> Sequence[Tool]:
    async def upsert(scope: Scope, request: UpsertEntryRequest, _: Emit) -> Plain:
        passage, is_new = await entries.upsert(scope, entry_of(request))
        return {**entry_fields(passage), "Created": is_new}

    async def delete(scope: Scope, request: EntryRequest, _: Emit) -> Plain:
        artifact_id, is_last = await entries.delete(scope, request.entry_id)
        return {
            "EntryId": request.entry_id,
            "ArtifactId": artifact_id,
            "ArtifactDeleted": is_last,
        }

    return (
        Tool(
            "KnowledgeStore.UpsertEntry",
            "Write an entry",
            "Writes one passage. An artifact that is not there yet is made with this entry alone; "
            "in one that is there, the entry of the same id is replaced or a new one added at the "
            "end, and the other entries stay. It can be searched at once.",
            UpsertEntryRequest,
            WrittenEntry,
            Role.WRITE,
            upsert,
            writes=True,
            destroys=True,
        ),
        Tool(
            "KnowledgeStore.DeleteEntry",
            "Delete an entry",
            "Takes one passage out of its artifact; with its last entry the artifact goes, too. "
            "It cannot be undone.",
            EntryRequest,
            DeletedEntry,
            Role.WRITE,
            delete,
            writes=True,
            destroys=True,
        ),
    )
