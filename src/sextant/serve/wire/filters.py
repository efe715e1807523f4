"""KnowledgeSearchFilters on the wire, and the filter tree that they mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from sextant.query import (
    AllOf,
    DocumentsAny,
    EntitiesAny,
    Filter,
    SourceTypes,
    TagsAll,
    TagsAny,
    TimeRange,
)
from sextant.serve.wire.common.pascal import Moment, Names, Pascal
from sextant.text.odata.filters import LONGEST, parse


class KnowledgeSearchFilters(Pascal):
    """Every field that is given must hold, by one of its values."""

    created_after: Moment | None = Field(None, description="Then or later.")
    created_before: Moment | None = None
    modified_after: Moment | None = None
    modified_before: Moment | None = None
    source_types: Names = Field([])
    tags: Names = Field([], description="At least one of these.")
    all_tags: Names = Field([], description="Every one of these.")
    entity_ids: Names = Field([], description="The entry mentions one of these.")
    artifact_ids: Names = Field([])
    o_data_filter: Annotated[str, Field(max_length=LONGEST)] = Field(
        "", description="More, as OData: tags/any(t: t eq 'on-call')."
    )


def filter_of(given: KnowledgeSearchFilters | None) -> Filter | None:
    """Return what all given fields mean together; nothing given lets everything through."""
    parts = tuple(_parts(given)) if given else ()
    return AllOf(parts) if len(parts) > 1 else next(iter(parts), None)


def _parts(given: KnowledgeSearchFilters) -> Iterator[Filter]:
    if given.created_after or given.created_before:
        yield TimeRange(given.created_after, given.created_before, "created")
    if given.modified_after or given.modified_before:
        yield TimeRange(given.modified_after, given.modified_before, "modified")
    if given.source_types:
        yield SourceTypes(tuple(given.source_types))
    if given.tags:
        yield TagsAny(tuple(given.tags))
    if given.all_tags:
        yield TagsAll(tuple(given.all_tags))
    if given.entity_ids:
        yield EntitiesAny(tuple(given.entity_ids))
    if given.artifact_ids:
        yield DocumentsAny(tuple(given.artifact_ids))
    if given.o_data_filter.strip():
        yield parse(given.o_data_filter)
