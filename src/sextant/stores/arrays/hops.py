"""The best edges of nodes: a few are added up one by one, many in columns, to the same end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sextant.stores.arrays import graph
from sextant.stores.arrays.edges import Best, Edge, Ends, Key, Names, strongest
from sextant.stores.arrays.lists import Ints, distinct
from sextant.stores.arrays.segment import NumberIndex
from sextant.stores.arrays.view import Sight, Sights

_FEW = 1_000
"""Up to so many contributions, going through them costs less than setting columns up."""

_NODE_BYTES, _EDGE_BYTES = 500, 1_200


@dataclass(frozen=True, slots=True)
class Hop:
    """The edges crossed at one distance, and the nodes that had more."""

    edges: Sequence[Edge]
    capped: set[int]


def hop(
    sights: Sights, nodes: set[int], kinds: Ints | None, ends: Ends, per_node: int, names: Names
) -> Hop:
    """Cross the best edges of each node; those of nodes crossed lately are known."""
    rule = (ends, per_node, None if kinds is None else kinds.tobytes())
    found: dict[int, Best] = {}
    for node in nodes:
        known: Best | None = sights.recall(("best", node, rule))
        if known is not None:
            found[node] = known
    new = sorted(nodes - found.keys())
    start = np.array(new, np.int64)
    chosen = [_touching(sight, start, kinds, ends) for sight in sights] if new else []
    if sum(map(len, chosen)) > _FEW:
        rivals = graph.rivals(sights, chosen, start, ends, per_node)
    else:
        edges = _add_up(sights, chosen)
        rivals = [_by_node(edges, end) for end in ends]
    for node in new:
        found[node] = best = _best_of([own.get(node, []) for own in rivals], per_node, names)
        sights.keep(("best", node, rule), best, _NODE_BYTES + _size(best.edges))
    crossed = {edge.key: edge for best in found.values() for edge in best.edges}
    return Hop(list(crossed.values()), {node for node, best in found.items() if best.capped})


def _best_of(rivals: Sequence[list[Edge]], per_node: int, names: Names) -> Best:
    """Choose the best edges at each end of a node."""
    best = [strongest(own, per_node, names) if len(own) > per_node else own for own in rivals]
    return Best([edge for own in best for edge in own], any(len(own) > per_node for own in rivals))


def _size(edges: Sequence[Edge]) -> int:
    return sum(_EDGE_BYTES + 8 * len(edge.evidence) for edge in edges)


def _touching(sight: Sight, nodes: Ints, kinds: Ints | None, ends: Ends) -> Ints:
    """Return the visible contributions to edges of these nodes."""
    indexes = (sight.segment.out_edges, sight.segment.in_edges)
    items = [own for own in (_listed(indexes[end], nodes) for end in ends) if len(own)]
    if not items:
        return np.empty(0, np.int64)
    chosen = items[0] if len(items) == 1 else distinct(np.concatenate(items))
    column = sight.segment.column
    if not sight.whole:
        chosen = chosen[sight.documents.take(column("edge.document").take(chosen))]
    if kinds is not None:
        chosen = chosen[np.isin(column("edge.kind").take(chosen), kinds)]
    return chosen


def _listed(index: NumberIndex, nodes: Ints) -> Ints:
    if not len(index.keys):
        return np.empty(0, np.int64)
    places = index.keys.searchsorted(nodes)
    places = places[index.keys.take(places, mode="clip") == nodes]
    return index.lists.gather(places).astype(np.int64) if len(places) else places


def _add_up(sights: Sequence[Sight], chosen: Sequence[Ints]) -> list[Edge]:
    sums: dict[Key, Edge] = {}
    for sight, items in zip(sights, chosen, strict=False):
        base = sight.base
        for key, confidence, weight, chunk in _contributions(sight, items) if len(items) else ():
            evidence = [chunk + base] if chunk >= 0 else []
            edge = sums.get(key)
            if edge is None:
                sums[key] = Edge(key, confidence, weight, 1, evidence)
                continue
            if confidence > edge.confidence:
                edge.confidence = confidence
            edge.weight += weight
            edge.support += 1
            edge.evidence += evidence
    return list(sums.values())


def _contributions(sight: Sight, items: Ints) -> Iterator[tuple[Key, float, int, int]]:
    def column(name: str) -> list[Any]:
        values: list[Any] = sight.segment.column(f"edge.{name}").take(items).tolist()
        return values

    keys = zip(column("source"), column("target"), column("kind"), strict=True)
    return zip(keys, column("confidence"), column("weight"), column("chunk"), strict=True)


def _by_node(edges: Sequence[Edge], end: int) -> dict[int, list[Edge]]:
    groups: dict[int, list[Edge]] = defaultdict(list)
    for edge in edges:
        groups[edge.key[end]].append(edge)
    return groups
