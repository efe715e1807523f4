"""Filter trees as masks over a segment's chunks. Ids were made numbers by who knows the truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from sextant.query import (
    AllOf,
    AnyOf,
    DocumentsAny,
    EntitiesAny,
    Filter,
    Not,
    SourceTypes,
    TagsAll,
    TagsAny,
    TimeRange,
)
from sextant.stores.arrays.lists import Ints, Mask, places_of
from sextant.stores.arrays.rows import NO_TIME
from sextant.stores.arrays.segment import Segment, StringIndex
from sextant.stores.arrays.view import Sight

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Resolved:
    """The numbers of the entities and documents that a filter names."""

    entities: Mapping[str, int]
    documents: Mapping[str, int]


def allowed(sight: Sight, tree: Filter | None, resolved: Resolved) -> Mask | None:
    """Return which chunks may be found, or None when all may."""
    if tree is None:
        return None if sight.whole else sight.chunks
    return _mask(sight.segment, tree, resolved) & sight.chunks


def microseconds(moment: datetime | None) -> int:
    """Return a moment as the arrays hold it."""
    return NO_TIME if moment is None else (moment - _EPOCH) // timedelta(microseconds=1)


def moment(microseconds: int | None) -> datetime | None:
    """Return a moment from how the truth holds it."""
    return None if microseconds is None else _EPOCH + timedelta(microseconds=microseconds)


def _mask(segment: Segment, tree: Filter, resolved: Resolved) -> Mask:
    match tree:
        case AllOf(parts):
            return _fold(segment, parts, resolved, np.logical_and, start=True)
        case AnyOf(parts):
            return _fold(segment, parts, resolved, np.logical_or, start=False)
        case Not(part):
            return ~_mask(segment, part, resolved)
        case EntitiesAny(ids):
            return _entity_mask(segment, _numbers(ids, resolved.entities))
        case DocumentsAny(ids):
            rows = _numbers(ids, resolved.documents)
            return np.isin(segment.document_row, rows)[segment.chunk_document]
        case TagsAny(tags):
            return _of_documents(segment, _any(segment, segment.tags, tags))
        case TagsAll(tags):
            each = [_any(segment, segment.tags, (tag,)) for tag in tags]
            return _of_documents(
                segment, np.logical_and.reduce([np.ones(segment.documents, bool), *each])
            )
        case SourceTypes(types):
            return _of_documents(segment, _any(segment, segment.types, types))
        case TimeRange():
            return _of_documents(segment, _in_range(segment, tree))


def _fold(
    segment: Segment,
    parts: Sequence[Filter],
    resolved: Resolved,
    join: Callable[[Mask, Mask], Mask],
    *,
    start: bool,
) -> Mask:
    mask = np.full(len(segment), start)
    for part in parts:
        mask = join(mask, _mask(segment, part, resolved))
    return mask


def _numbers(ids: Sequence[str], known: Mapping[str, int]) -> Ints:
    return np.array(sorted({known[name] for name in ids if name in known}), np.int64)


def _entity_mask(segment: Segment, numbers: Ints) -> Mask:
    mask = np.zeros(len(segment), bool)
    places, found = places_of(segment.mentions.keys, numbers)
    items, _ = segment.mentions.lists.gather(places[found])
    mask[items] = True
    return mask


def _any(segment: Segment, index: StringIndex, values: Sequence[str]) -> Mask:
    mask = np.zeros(segment.documents, bool)
    for value in values:
        items = index.find(value.encode())
        if items is not None:
            mask[items] = True
    return mask


def _in_range(segment: Segment, span: TimeRange) -> Mask:
    times = segment.column(f"document.{span.by}")
    mask: Mask = times != NO_TIME
    if span.start is not None:
        mask &= times >= microseconds(span.start)
    if span.end is not None:
        mask &= times < microseconds(span.end)
    return mask


def _of_documents(segment: Segment, documents: Mask) -> Mask:
    return documents[segment.chunk_document]
