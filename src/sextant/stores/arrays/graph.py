"""Many edges at once, in columns: what contributions add up to, and the best edges of each node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sextant.stores.arrays.edges import Edge, Ends
from sextant.stores.arrays.lists import Array, Ints, places_of
from sextant.stores.arrays.view import Sight

_NUMBER_BITS = 21


@dataclass(frozen=True, slots=True)
class Edges:
    """What contributions added up to; the evidence of each starts at ``first``, -1 for none."""

    source: Ints
    target: Ints
    kind: Ints
    confidence: Array
    weight: Ints
    support: Ints
    first: Ints
    evidence: Ints

    def __len__(self) -> int:
        return len(self.source)

    def listed(self, places: Ints) -> list[Edge]:
        """Return some of the edges one by one."""
        ends = (self.source, self.target, self.kind)
        keys = zip(*(own[places].tolist() for own in ends), strict=True)
        said = (self.confidence, self.weight, self.support, self.first)
        values = zip(*(own[places].tolist() for own in said), strict=True)
        return [
            Edge(key, confidence, weight, support, self.evidence[first : first + support])
            for key, (confidence, weight, support, first) in zip(keys, values, strict=True)
        ]


def all_edges(sights: Sequence[Sight]) -> Edges:
    """Add up every visible contribution."""
    return _add_up(sights, [_visible(sight) for sight in sights])


def _visible(sight: Sight) -> Ints:
    return sight.documents[sight.segment.column("edge.document")].nonzero()[0]


def rivals(
    sights: Sequence[Sight], chosen: Sequence[Ints], nodes: Ints, ends: Ends, per_node: int
) -> list[dict[int, list[Edge]]]:
    """Add up contributions; return by end and node the edges that could be its best."""
    edges = _add_up(sights, chosen)
    return [_by_node(edges, (edges.source, edges.target)[end], nodes, per_node) for end in ends]


def _by_node(edges: Edges, column: Ints, nodes: Ints, per_node: int) -> dict[int, list[Edge]]:
    places, at_node = places_of(nodes, column)
    own = at_node.nonzero()[0]
    own = own[places[own].argsort(kind="stable")]
    cuts = places[own].searchsorted(np.arange(len(nodes) + 1)).tolist()
    found = {}
    for node, start, end in zip(nodes.tolist(), cuts, cuts[1:], strict=False):
        best = _level_with(edges, own[start:end], per_node + 1)  # one more: that there are more
        found[node] = edges.listed(best)
    return found


def _level_with(edges: Edges, rivals: Ints, k: int) -> Ints:
    """Return the k best by confidence and weight, and all that could stand in for the last."""
    if len(rivals) <= k:
        return rivals
    confidence = edges.confidence[rivals]
    rivals = rivals[confidence >= np.partition(confidence, len(rivals) - k)[len(rivals) - k]]
    confidence, weight = edges.confidence[rivals], edges.weight[rivals]
    order = np.lexsort((-weight, -confidence))
    last = order[k - 1]
    level = (confidence == confidence[last]) & (weight == weight[last])
    return np.union1d(rivals[order[:k]], rivals[level])


def _sorted(source: Ints, target: Ints, kind: Ints) -> Ints:
    """Return the order of edges; numbers that fit into one are sorted as one, which is faster."""
    if max(source.max(), target.max(), kind.max()) >> _NUMBER_BITS:
        return np.lexsort((kind, target, source))
    joined = (source << 2 * _NUMBER_BITS) | (target << _NUMBER_BITS) | kind
    return np.argsort(joined, kind="stable")


def _add_up(sights: Sequence[Sight], chosen: Sequence[Ints]) -> Edges:
    """Add up the chosen contributions."""
    parts: list[tuple[Array, ...]] = []
    for sight, items in zip(sights, chosen, strict=True):
        if len(items):
            column = sight.segment.column
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
        return Edges(none, none, none, np.empty(0), none, none, none, none)
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
        evidence[order],
    )
