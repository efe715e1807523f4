"""Many edges at once, in columns: what those of several segments add up to, and a node's best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from sextant.stores.arrays.graph.edges import Edge, Values, bases, values_of
from sextant.stores.arrays.lists import Array, Ints, distinct, places_of, spans
from sextant.stores.arrays.segments.segment import Segment
from sextant.stores.arrays.segments.sums import ends_of, firsts_of
from sextant.stores.arrays.snapshots.view import Sight

_FIRST, _FURTHER = 2, 4
"""So many times k edges of a hub are looked at first, then so many times more if need be."""

Strength = tuple[float, int]
"""Confidence and weight."""


@dataclass(frozen=True, slots=True)
class Edges:
    """Edges as they are seen; the parts of each start at ``first``."""

    pair: Ints
    kind: Ints
    confidence: Array
    weight: Ints
    support: Ints
    first: Ints
    part: Ints

    def __len__(self) -> int:
        return len(self.pair)

    def listed(self, places: Ints) -> list[Edge]:
        """Return some of the edges one by one."""
        pair = self.pair.take(places)
        ends = (*ends_of(pair), self.kind.take(places))
        keys = zip(*(own.tolist() for own in ends), strict=True)
        said = (self.confidence, self.weight, self.support)
        values = [own.take(places).tolist() for own in said]
        return [Edge(*one) for one in zip(keys, *values, self._parts(places), strict=True)]

    def _parts(self, places: Ints) -> list[tuple[int, ...]]:
        after = np.append(self.first[1:], len(self.part))
        starts, ends = self.first.take(places), after.take(places)
        parts = iter(self.part.take(spans(starts, ends)[0]).tolist())
        return [tuple(islice(parts, count)) for count in (ends - starts).tolist()]


def all_edges(sights: Sequence[Sight]) -> Edges:
    """Add up every edge that is seen."""
    return _add_up(sights, [np.arange(len(s.segment.column("edge.pair"))) for s in sights])


def related_in(segment: Segment, nodes: Ints) -> Ints:
    """Return the documents of a segment that say something of an edge from or to these nodes."""
    ends = []
    for index in (segment.out_edges, segment.in_edges):
        places, known = places_of(index.keys, nodes)
        ends.append(index.lists.gather(places[known]))
    edges = distinct(np.concatenate(ends).astype(np.int64))
    starts = segment.column("edge.starts")
    told = segment.column("told.document")
    return distinct(
        told.take(spans(starts.take(edges), starts.take(edges + 1))[0]).astype(np.int64)
    )


def rivals(sights: Sequence[Sight], lists: Sequence[Ints], k: int) -> list[Edge]:
    """Return the best k edges of a node, and all that could stand in for the last of them.

    The node's edges in each segment run from strong to weak, as they are before anything is hidden;
    so those not looked at yet have a bound, and once k are above it nobody else can be among them.
    """
    reach = _FIRST * k
    while True:
        edges = _add_up(sights, _completed(sights, [own[:reach] for own in lists]))
        last, bound = _kth(edges, k), _bound(sights, lists, reach)
        if bound is None or (last is not None and last > bound):
            return edges.listed(_reaching(edges, last))
        reach *= _FURTHER


def _kth(edges: Edges, k: int) -> Strength | None:
    if len(edges) < k:
        return None
    last = np.lexsort((-edges.weight, -edges.confidence))[k - 1]
    return float(edges.confidence[last]), int(edges.weight[last])


def _reaching(edges: Edges, least: Strength | None) -> Ints:
    if least is None:
        return np.arange(len(edges))
    confidence, weight = least
    level = (edges.confidence == confidence) & (edges.weight >= weight)
    reaching: Ints = ((edges.confidence > confidence) | level).nonzero()[0]
    return reaching


def _bound(sights: Sequence[Sight], lists: Sequence[Ints], reach: int) -> Strength | None:
    """Return how strong an edge past this reach can be, or None if there is none."""
    alone = sum(len(own) > 0 for own in lists) == 1
    confidence, weight = -1.0, 0
    for sight, own in zip(sights, lists, strict=True):
        if len(own) > reach:
            column, rest = sight.segment.column, own[reach:]
            confidence = max(confidence, float(column("edge.confidence")[rest[0]]))
            weights = column("edge.weight").take(rest[:1] if alone else rest)
            weight += int(weights.max())
    return None if confidence < 0 else (confidence, weight)


def _completed(sights: Sequence[Sight], heads: Sequence[Ints]) -> Sequence[Ints]:
    """Return some edges of each segment, and what all segments hold of the same edges."""
    if sum(len(own) > 0 for own in heads) < 2:
        return heads
    columns = [
        (sight.segment.column("edge.pair").take(own), sight.segment.column("edge.kind").take(own))
        for sight, own in zip(sights, heads, strict=True)
    ]
    pair, kind = (np.concatenate(own) for own in zip(*columns, strict=True))
    return [distinct(_found(sight.segment, pair, kind)) for sight in sights]


def _found(segment: Segment, pair: Ints, kind: Ints) -> Ints:
    """Return the places of those edges that a segment holds."""
    pairs = segment.column("edge.pair")
    items, owners = spans(pairs.searchsorted(pair), pairs.searchsorted(pair, side="right"))
    found: Ints = items[segment.column("edge.kind").take(items) == kind.take(owners)]
    return found


def _add_up(sights: Sequence[Sight], chosen: Sequence[Ints]) -> Edges:
    """Add up the edges at these places of each segment."""
    seen = [
        values_of(sight, own, base)
        for sight, own, base in zip(sights, chosen, bases(sights), strict=False)
        if len(own)
    ]
    if len(seen) == 1:
        return Edges(*seen[0][:-1], np.arange(len(seen[0].part)), seen[0].part)
    if not seen:
        none = np.empty(0, np.int64)
        return Edges(none, none, np.empty(0), none, none, none, none)
    every = Values(*(np.concatenate(columns) for columns in zip(*seen, strict=True)))
    order = np.lexsort((every.kind, every.pair))
    every = Values(*(column[order] for column in every))
    first = firsts_of(every.pair, every.kind)
    return Edges(
        every.pair[first],
        every.kind[first],
        _reduced(np.maximum, every.confidence, first),
        _reduced(np.add, every.weight, first),
        _reduced(np.add, every.support, first),
        first,
        every.part,
    )


def _reduced(join: np.ufunc, column: Array, first: Ints) -> Array:
    reduced: Array = join.reduceat(column, first) if len(first) else column
    return reduced
