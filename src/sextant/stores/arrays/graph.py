"""Walking the edges: what several contributions add up to, and the best edges of each node.

Nodes and kinds are numbers here. Where edges tie, the order of ids decides, which only the truth
knows; it is asked for through ``names``, and only for edges that tie.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sextant.stores.arrays.best import first_by_id, ids_at
from sextant.stores.arrays.lists import Array, Ints, distinct, places_of
from sextant.stores.arrays.view import Sight
from sextant.types import Direction

Names = Callable[[Ints], Mapping[int, str]]
MOST_EVIDENCE = 8
_MANY = 4
"""With this many times the evidence that is shown, ranks are compared before ids are read."""

_NUMBER_BITS = 21


@dataclass(frozen=True, slots=True)
class Edges:
    """What contributions added up to; ``first`` and ``order`` lead back to them."""

    source: Ints
    target: Ints
    kind: Ints
    confidence: Array
    weight: Ints
    support: Ints
    first: Ints
    order: Ints
    evidence: Ints

    def __len__(self) -> int:
        return len(self.source)

    def pick(self, places: Ints) -> Edges:
        """Return some of the edges."""
        return Edges(
            self.source[places],
            self.target[places],
            self.kind[places],
            self.confidence[places],
            self.weight[places],
            self.support[places],
            self.first[places],
            self.order,
            self.evidence,
        )


@dataclass(frozen=True, slots=True)
class Hop:
    """The edges crossed at one distance, and the nodes that had more."""

    edges: Edges
    capped: Ints


def hop(
    sights: Sequence[Sight],
    nodes: Ints,
    kinds: Ints | None,
    direction: Direction,
    per_node: int,
    names: Names,
) -> Hop:
    """Cross the best edges of each node, from nodes in order."""
    edges = _edges(sights, nodes, kinds, direction)
    ends = [edges.source] if direction == Direction.OUT else [edges.target]
    if direction == Direction.BOTH:
        ends = [edges.source, edges.target]
    kept = np.zeros(len(edges), bool)
    capped: list[Ints] = []
    for end in ends:
        places, at_node = places_of(nodes, end)
        own = np.flatnonzero(at_node)
        counts = np.bincount(places[own], minlength=len(nodes))
        crowded = np.flatnonzero(counts > per_node)
        kept[own] |= counts[places[own]] <= per_node
        capped.append(nodes[crowded])
        for node in crowded:
            rivals = own[places[own] == node]
            kept[strongest(edges, rivals, per_node, names)] = True
    return Hop(edges.pick(np.flatnonzero(kept)), distinct(np.concatenate(capped)))


def strongest(edges: Edges, rivals: Ints, k: int, names: Names) -> Ints:
    """Return the k best rivals, best first: by confidence, weight, then kind and end ids."""
    order = np.lexsort((-edges.weight[rivals], -edges.confidence[rivals]))
    ranked = rivals[order]
    if len(ranked) > k:
        last = ranked[k - 1]
        level = (edges.confidence[ranked] == edges.confidence[last]) & (
            edges.weight[ranked] == edges.weight[last]
        )
        ranked = ranked[: max(k, int(np.flatnonzero(level)[-1]) + 1)]
    parts = (edges.kind[ranked], edges.source[ranked], edges.target[ranked])
    known = names(distinct(np.concatenate(parts)))
    keys = [
        (-confidence, -weight, known[kind], known[source], known[target])
        for confidence, weight, kind, source, target in zip(
            edges.confidence[ranked].tolist(),
            edges.weight[ranked].tolist(),
            *(part.tolist() for part in parts),
            strict=True,
        )
    ]
    return ranked[sorted(range(len(ranked)), key=keys.__getitem__)[:k]]


def all_edges(sights: Sequence[Sight]) -> Edges:
    """Add up every visible contribution."""
    return _add_up(sights, [np.arange(len(s.segment.column("edge.source"))) for s in sights], None)


def evidence_ids(sights: Sequence[Sight], edges: Edges, most: int) -> list[tuple[str, ...]]:
    """Return for each edge the ids of its evidence chunks, in order, up to a number."""
    firsts, counts = edges.first.tolist(), edges.support.tolist()
    places: list[int] = []
    ends: list[int] = []
    for first, count in zip(firsts, counts, strict=True):
        own = edges.evidence[edges.order[first : first + count]]
        if count > _MANY * most:
            own = first_by_id(sights, distinct(own[own >= 0]), most)
        places += [place for place in own.tolist() if place >= 0]
        ends.append(len(places))
    ids = [name.decode() for name in ids_at(sights, np.array(places, np.int64))]
    starts = [0, *ends[:-1]]
    return [
        tuple(sorted(set(ids[start:end]))[:most]) for start, end in zip(starts, ends, strict=True)
    ]


def _edges(sights: Sequence[Sight], nodes: Ints, kinds: Ints | None, direction: Direction) -> Edges:
    chosen = []
    for sight in sights:
        items = []
        for index, wanted in (
            (sight.segment.out_edges, direction != Direction.IN),
            (sight.segment.in_edges, direction != Direction.OUT),
        ):
            if wanted and len(index.keys):
                places, found = places_of(index.keys, nodes)
                items.append(index.lists.gather(places[found]).astype(np.int64))
        if len(items) == 2:
            items = [distinct(np.concatenate(items))]
        chosen.append(items[0] if items else np.empty(0, np.int64))
    return _add_up(sights, chosen, kinds)


def _sorted(source: Ints, target: Ints, kind: Ints) -> Ints:
    """Return the order of edges; numbers that fit into one are sorted as one, which is faster."""
    if max(source.max(), target.max(), kind.max()) >> _NUMBER_BITS:
        return np.lexsort((kind, target, source))
    joined = (source << 2 * _NUMBER_BITS) | (target << _NUMBER_BITS) | kind
    return np.argsort(joined, kind="stable")


def _add_up(sights: Sequence[Sight], chosen: Sequence[Ints], kinds: Ints | None) -> Edges:
    """Add up the chosen contributions that can be seen."""
    parts: list[tuple[Array, ...]] = []
    for sight, items in zip(sights, chosen, strict=True):
        column = sight.segment.column
        if not sight.whole:
            items = items[sight.documents[column("edge.document")[items]]]
        if kinds is not None:
            items = items[np.isin(column("edge.kind")[items], kinds)]
        if len(items):
            chunk = column("edge.chunk")[items].astype(np.int64)
            parts.append(
                (
                    column("edge.source")[items],
                    column("edge.target")[items],
                    column("edge.kind")[items],
                    column("edge.confidence")[items],
                    column("edge.weight")[items],
                    np.where(chunk < 0, -1, chunk + sight.base),
                )
            )
    if not parts:
        none = np.empty(0, np.int64)
        return Edges(none, none, none, np.empty(0), none, none, none, none, none)
    source, target, kind, confidence, weight, evidence = (
        np.concatenate(columns) for columns in zip(*parts, strict=True)
    )
    order = _sorted(source, target, kind)
    source, target, kind = source[order], target[order], kind[order]
    new = np.ones(len(order), bool)
    new[1:] = (source[1:] != source[:-1]) | (target[1:] != target[:-1]) | (kind[1:] != kind[:-1])
    first = np.flatnonzero(new)
    return Edges(
        source[first],
        target[first],
        kind[first],
        np.maximum.reduceat(confidence[order], first),
        np.add.reduceat(weight[order], first),
        np.diff(first, append=len(order)),
        first,
        order,
        evidence,
    )
