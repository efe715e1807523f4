"""Who is mentioned in which chunk of a segment, both ways, and whose document is about whom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sextant.stores.arrays.lists import (
    Array,
    Ints,
    Lists,
    Mask,
    distinct,
    group,
    places_of,
    spans,
)
from sextant.stores.arrays.segments.segment import Segment
from sextant.stores.arrays.segments.sums import ends_of
from sextant.stores.arrays.snapshots.view import Sight


@dataclass(frozen=True, slots=True)
class Mentions:
    """The chunks of each entity, those of them about it, and the entities of each chunk.

    Entities are positions among the keys. What is said of a pair is whether it is about.
    """

    keys: Ints
    chunks: Lists
    subjects: Lists
    entities: Lists


def mentions_in(segment: Segment, about: int) -> Mentions:
    """Return the mentions of a segment; edges of the kind about tell what a document is about."""
    known = segment.worked_out.get("mentions")
    if known is None or known[0] != about:
        segment.worked_out["mentions"] = known = (about, _work_out(segment, about))
    mentions: Mentions = known[1]
    return mentions


def visible_counts(sight: Sight, lists: Lists) -> Ints:
    """Return how many of each key's chunks can be seen."""
    if sight.whole:
        return np.diff(lists.starts)
    sums = np.zeros(len(lists.items) + 1, np.int64)
    np.cumsum(sight.chunks[lists.items], out=sums[1:])
    return np.diff(sums[lists.starts])


def _work_out(segment: Segment, about: int) -> Mentions:
    keys, lists = segment.mentions.keys, segment.mentions.lists
    chunks = lists.items.astype(np.int64)
    owners = np.repeat(np.arange(len(keys)), np.diff(lists.starts))
    flags = _about(segment, about, owners, chunks)
    return Mentions(
        keys,
        Lists(lists.starts, chunks, flags),
        group(owners[flags], chunks[flags], len(keys)),
        group(chunks, owners, len(segment), flags),
    )


def _about(segment: Segment, about: int, owners: Ints, chunks: Ints) -> Mask:
    """Return for which pairs the chunk's document says that it is about the entity."""
    keys = segment.mentions.keys
    chosen = np.flatnonzero(segment.column("edge.kind") == about)
    starts = segment.column("edge.starts")
    items, edges = spans(starts[chosen], starts[chosen + 1])
    targets = ends_of(segment.column("edge.pair")[chosen])[1]
    places, found = places_of(keys, targets[edges])
    documents = segment.column("told.document")[items]
    told = distinct(_joined(documents[found], places[found], len(keys)))
    return places_of(told, _joined(segment.chunk_document[chunks], owners, len(keys)))[1]


def _joined(documents: Array, entities: Ints, size: int) -> Ints:
    joined: Ints = documents.astype(np.int64) * size + entities
    return joined
