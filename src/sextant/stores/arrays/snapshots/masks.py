"""Filter trees as masks over a segment's chunks. Ids were made numbers by who knows the truth."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from sextant.query import (
    AllOf,
    AnyOf,
    ChunksAny,
    DocumentsAny,
    EntitiesAny,
    Filter,
    Not,
    SourceTypes,
    TagsAll,
    TagsAny,
    TimeRange,
    walk,
)
from sextant.stores.arrays.lists import Ints, Mask, places_of
from sextant.stores.arrays.segments.rows import NO_TIME
from sextant.stores.arrays.segments.segment import Segment, StringIndex
from sextant.stores.arrays.snapshots.view import Sight, Sights
from sextant.stores.times import microseconds

FEW = 0.35
"""Above this share of allowed chunks, scoring all vectors costs less than copying those allowed."""

_FILTER_BYTES, _CHUNK_BYTES, _NAME_BYTES = 1_000, 5, 200
"""What remembering a filter takes, for each chunk of the snapshot and each id in it, at most."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """The numbers of the entities, documents and chunks that a filter names."""

    entities: Mapping[str, int]
    documents: Mapping[str, int]
    chunks: Mapping[str, int] = field(default_factory=dict)


class Allowed:
    """The chunks of a sight that may be found; no filter allows all that is visible."""

    def __init__(self, sight: Sight, tree: Filter | None, resolved: Resolved) -> None:
        self._sight, self.used = sight, False
        self._documents: Mask | None = None
        self._chunks: Mask | None = None
        if tree is None:
            self._chunks = None if sight.whole else sight.chunks
        elif any(isinstance(node, EntitiesAny | ChunksAny) for node, _ in walk(tree)):
            self._chunks = _mask(sight.segment, tree, resolved, by_chunk=True) & sight.chunks
        else:
            self._documents = _mask(sight.segment, tree, resolved, by_chunk=False) & sight.documents

    @cached_property
    def mask(self) -> Mask | None:
        """Which chunks are allowed; None for all."""
        if self._documents is not None:
            return self._documents[self._sight.segment.chunk_document]
        return self._chunks

    @property
    def chunks(self) -> Mask:
        """Which chunks are allowed, also if all are."""
        mask = self.mask
        return np.ones(len(self._sight.segment), bool) if mask is None else mask

    @cached_property
    def rows(self) -> Ints | None:
        """The positions of the allowed chunks, or None if they are not few."""
        segment = self._sight.segment
        if self._documents is None:
            if self._chunks is None or np.count_nonzero(self._chunks) > FEW * len(segment):
                return None
            return self._chunks.nonzero()[0]
        documents = self._documents.nonzero()[0]
        counts = segment.document_sizes.take(documents)
        after = counts.cumsum()
        total = int(after[-1]) if len(after) else 0
        if total > FEW * len(segment):
            return None
        firsts = segment.document_starts.take(documents) + counts - after
        rows: Ints = np.arange(total) + firsts.repeat(counts)
        return rows


def allow(
    sights: Sights, tree: Filter | None, resolve: Callable[[], Resolved]
) -> Sequence[Allowed]:
    """Return which chunks of each sight a filter allows; a filter that was used is remembered."""
    key = ("filter", _key(tree))
    known: list[Allowed] | None = sights.recall(key)
    if known is None:
        resolved = resolve()
        known = [Allowed(sight, tree, resolved) for sight in sights]
        named = len(resolved.entities) + len(resolved.documents)
        chunks = sum(len(sight.segment) for sight in sights)
        if not resolved.chunks:  # chunks are picked for one query, which hardly comes again
            own = _FILTER_BYTES + len(repr(tree))  # it is kept, too, and anybody may write it long
            sights.keep(key, known, own + _CHUNK_BYTES * chunks + _NAME_BYTES * named)
    return known


def _key(tree: Filter | None) -> Hashable:
    try:
        hash(tree)
    except TypeError:  # made of lists, not of tuples as its type says; it works all the same
        return repr(tree)
    return tree


def _mask(segment: Segment, tree: Filter, resolved: Resolved, *, by_chunk: bool) -> Mask:
    """Return which documents a tree lets through, or which chunks."""
    match tree:
        case AllOf(parts) | AnyOf(parts):
            join = np.logical_and if isinstance(tree, AllOf) else np.logical_or
            mask = np.full(len(segment) if by_chunk else segment.documents, isinstance(tree, AllOf))
            for part in parts:
                mask = join(mask, _mask(segment, part, resolved, by_chunk=by_chunk))
            return mask
        case Not(part):
            return ~_mask(segment, part, resolved, by_chunk=by_chunk)
        case EntitiesAny(ids):
            return _entity_mask(segment, _numbers(ids, resolved.entities))
        case ChunksAny(ids):
            return _chunk_mask(segment, _numbers(ids, resolved.chunks))
        case _:
            documents = _document_mask(segment, tree, resolved)
            return documents[segment.chunk_document] if by_chunk else documents


def _document_mask(
    segment: Segment,
    leaf: DocumentsAny | TagsAny | TagsAll | SourceTypes | TimeRange,
    resolved: Resolved,
) -> Mask:
    match leaf:
        case DocumentsAny(ids):
            return np.isin(segment.document_row, _numbers(ids, resolved.documents))
        case TagsAny(tags):
            return _any(segment, segment.tags, tags)
        case TagsAll(tags):
            every = np.ones(segment.documents, bool)
            for tag in tags:
                every &= _any(segment, segment.tags, (tag,))
            return every
        case SourceTypes(types):
            return _any(segment, segment.types, types)
        case TimeRange():
            return _in_range(segment, leaf)


def _numbers(ids: Sequence[str], known: Mapping[str, int]) -> Ints:
    return np.array(sorted({known[name] for name in ids if name in known}), np.int64)


def _entity_mask(segment: Segment, numbers: Ints) -> Mask:
    mask = np.zeros(len(segment), bool)
    places, found = places_of(segment.mentions.keys, numbers)
    mask[segment.mentions.lists.gather(places[found])] = True
    return mask


def _chunk_mask(segment: Segment, rows: Ints) -> Mask:
    mask = np.zeros(len(segment), bool)
    places, found = places_of(segment.chunk_row, rows)
    mask[places[found]] = True
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
