"""From several segments to one with what is alive in them, as if that were derived anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sextant.stores.arrays.lists import Array, Ints, Lists, Mask, pack_strings
from sextant.stores.arrays.segments.segment import (
    CHUNK_COLUMNS,
    DOCUMENT_COLUMNS,
    VECTOR_COLUMNS,
    NumberIndex,
    Segment,
    StringIndex,
    id_ranks,
    number_index,
    string_index,
    term_bounds,
)
from sextant.stores.arrays.segments.sums import Contributions, edge_arrays

_BLOCK_ROWS = 8_192


@dataclass(frozen=True, slots=True)
class Blocks:
    """An array to be: kept rows of others, made block by block to need little memory."""

    sources: tuple[tuple[Array, Mask | None], ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape that the whole will have."""
        rows = sum(len(part) if keep is None else int(keep.sum()) for part, keep in self.sources)
        widths = [part.shape[1:] for part, _ in self.sources if len(part)]
        return (rows, *max(widths, default=self.sources[0][0].shape[1:]))

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """The type that the whole will have."""
        return self.sources[0][0].dtype

    def __iter__(self) -> Iterator[Array]:
        """Yield the whole in blocks; a part without vectors is widened with zeros."""
        inner = self.shape[1:]
        for part, keep in self.sources:
            for start in range(0, len(part), _BLOCK_ROWS):
                block = part[start : start + _BLOCK_ROWS]
                kept = block if keep is None else block[keep[start : start + _BLOCK_ROWS]]
                yield kept if kept.shape[1:] == inner else np.zeros((len(kept), *inner), self.dtype)

    def whole(self) -> Array:
        """Make the array in memory."""
        return np.concatenate([np.empty((0, *self.shape[1:]), self.dtype), *self])


Merged = Mapping[str, Array | Blocks]


@dataclass(frozen=True, slots=True)
class _Part:
    """A segment, what is kept of it, and where that goes; -1 is nowhere."""

    segment: Segment
    documents: Mask | None
    chunks: Mask | None
    told: Mask | None
    new_document: Ints
    new_chunk: Ints


def merge(parts: Sequence[tuple[Segment, Mask]]) -> Merged:
    """Merge segments, each with a mask of its living documents, in the order of their rows."""
    placed = list(_place(parts))
    arrays: dict[str, Array] = {}
    for name in DOCUMENT_COLUMNS:
        arrays[name] = _column(name, [(part, part.documents) for part in placed])
    for name in CHUNK_COLUMNS:
        arrays[name] = _column(name, [(part, part.chunks) for part in placed])
    arrays |= _identities(placed)
    arrays |= edge_arrays(_contributions(placed), arrays["chunk.rank"])
    arrays |= _lists(placed)
    terms = Lists(*(arrays[f"term.{part}"] for part in ("starts", "items", "said")))
    arrays |= term_bounds(terms, arrays["chunk.length"])
    vectors = {
        name: Blocks(tuple((part.segment.column(name), part.chunks) for part in placed))
        for name in VECTOR_COLUMNS
    }
    return arrays | vectors


def settle(merged: Merged) -> Segment:
    """Make a merged segment in memory."""
    return Segment(
        {name: part.whole() if isinstance(part, Blocks) else part for name, part in merged.items()}
    )


def _place(parts: Sequence[tuple[Segment, Mask]]) -> Iterator[_Part]:
    documents = chunks = 0
    for segment, living in parts:
        all_live = bool(living.all())
        live_chunks = living[segment.chunk_document]
        live_told = living[segment.column("told.document")]
        yield _Part(
            segment,
            None if all_live else living,
            None if all_live else live_chunks,
            None if all_live else live_told,
            _renumber(living, documents),
            _renumber(live_chunks, chunks),
        )
        documents += int(living.sum())
        chunks += int(live_chunks.sum())


def _renumber(living: Mask, base: int) -> Ints:
    return np.where(living, np.cumsum(living) - 1 + base, -1)


def _column(name: str, parts: Sequence[tuple[_Part, Mask | None]]) -> Array:
    columns = ((part.segment.column(name), keep) for part, keep in parts)
    return np.concatenate([column if keep is None else column[keep] for column, keep in columns])


def _identities(parts: Sequence[_Part]) -> dict[str, Array]:
    """The columns that hold positions or ids, which move."""
    ids: list[bytes] = []
    for part in parts:
        own = part.segment.chunk_ids.listed()
        ids += own if part.chunks is None else [own[at] for at in np.flatnonzero(part.chunks)]
    blob, ends = pack_strings(ids)
    return {
        "chunk.rank": id_ranks(ids),
        "chunk_id.blob": blob,
        "chunk_id.ends": ends,
        "chunk.document": _moved("chunk.document", [(p, p.chunks, p.new_document) for p in parts]),
    }


def _contributions(parts: Sequence[_Part]) -> Contributions:
    kept = [(part, part.told) for part in parts]
    return Contributions(
        _repeated("edge.pair", parts),
        _repeated("edge.kind", parts),
        _column("told.confidence", kept),
        _column("told.weight", kept),
        _moved("told.document", [(p, p.told, p.new_document) for p in parts]),
        _moved("told.chunk", [(p, p.told, p.new_chunk) for p in parts]),
    )


def _repeated(name: str, parts: Sequence[_Part]) -> Array:
    """What a column says of edges, once for each contribution that is kept."""
    columns = []
    for part in parts:
        column = part.segment.column(name).repeat(part.segment.column("edge.support"))
        columns.append(column if part.told is None else column[part.told])
    return np.concatenate(columns)


def _moved(name: str, parts: Sequence[tuple[_Part, Mask | None, Ints]]) -> Array:
    moved = []
    for part, keep, new in parts:
        column = part.segment.column(name)
        kept = column if keep is None else column[keep]
        padded = np.append(new, -1)  # so that position -1, no chunk, stays -1
        moved.append(padded[kept].astype(column.dtype))
    return np.concatenate(moved)


def _lists(parts: Sequence[_Part]) -> dict[str, Array]:
    segments = [part.segment for part in parts]
    documents = [part.new_document for part in parts]
    chunks = [part.new_chunk for part in parts]
    return {
        **_merge_strings("term", [segment.terms for segment in segments], chunks),
        **_merge_strings("tag", [segment.tags for segment in segments], documents),
        **_merge_strings("type", [segment.types for segment in segments], documents),
        **_merge_strings("persona", [segment.personas for segment in segments], documents),
        **_merge_strings("name", [segment.names for segment in segments], documents),
        **_merge_numbers("mention", [segment.mentions for segment in segments], chunks),
        **_merge_numbers("definition", [segment.definitions for segment in segments], documents),
    }


def _merge_strings(
    name: str, indexes: Sequence[StringIndex], new: Sequence[Ints]
) -> dict[str, Array]:
    own = [index.keys.listed() for index in indexes]
    union = sorted(set().union(*own))
    position = {key: at for at, key in enumerate(union)}
    codes = [np.fromiter((position[key] for key in keys), np.int64, len(keys)) for keys in own]
    lists = _merge_lists([index.lists for index in indexes], codes, new, len(union))
    lists, used = _drop_empty(lists)
    keys = union if used.all() else [union[at] for at in np.flatnonzero(used)]
    return string_index(name, keys, lists)


def _merge_numbers(
    name: str, indexes: Sequence[NumberIndex], new: Sequence[Ints]
) -> dict[str, Array]:
    union = np.unique(np.concatenate([index.keys for index in indexes]))
    codes = [np.searchsorted(union, index.keys) for index in indexes]
    lists = _merge_lists([index.lists for index in indexes], codes, new, len(union))
    lists, used = _drop_empty(lists)
    return number_index(name, union[used], lists)


def _merge_lists(
    old: Sequence[Lists], codes: Sequence[Ints], new: Sequence[Ints], keys: int
) -> Lists:
    """Put every list behind those of the same key in earlier segments; nothing needs sorting."""
    kept = [_kept(lists, positions) for lists, positions in zip(old, new, strict=True)]
    totals = np.zeros(keys, np.int64)
    for own_codes, one in zip(codes, kept, strict=True):
        totals[own_codes] += one.counts
    starts = np.zeros(keys + 1, np.int64)
    np.cumsum(totals, out=starts[1:])
    items = np.empty(starts[-1], np.uint32)
    said = None if old[0].said is None else np.empty(starts[-1], old[0].said.dtype)
    free = starts[:-1].copy()
    for lists, own_codes, one in zip(old, codes, kept, strict=True):
        before = np.cumsum(one.counts) - one.counts
        to = np.repeat(free[own_codes] - before, one.counts)
        to += np.arange(len(one.items))
        items[to] = one.items
        if said is not None and lists.said is not None:
            said[to] = lists.said if one.keep is None else lists.said[one.keep]
        free[own_codes] += one.counts
    return Lists(starts, items, said)


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is alive in some lists, at its new positions; keep is None when all is."""

    items: Array
    counts: Ints
    keep: Mask | None


def _kept(lists: Lists, new: Ints) -> _Kept:
    counts = np.diff(lists.starts)
    items = new.take(lists.items)
    keep = items >= 0
    if keep.all():
        return _Kept(items, counts, None)
    alive = np.add.reduceat(keep, lists.starts[:-1], dtype=np.int64) if len(keep) else counts
    return _Kept(items[keep], alive, keep)


def _drop_empty(lists: Lists) -> tuple[Lists, Mask]:
    counts = np.diff(lists.starts)
    used = counts > 0
    if used.all():
        return lists, used
    starts = np.concatenate([[0], np.cumsum(counts[used])]).astype(np.int64)
    return Lists(starts, lists.items, lists.said), used


def same(left: Segment, right: Segment) -> list[str]:
    """Name the arrays in which two segments differ."""
    return [
        name
        for name in left.arrays
        if left.column(name).shape != right.column(name).shape
        or not np.array_equal(left.column(name), right.column(name))
    ]
