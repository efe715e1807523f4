"""The best edges of nodes: all of a few are gone through one by one, a hub's in columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sextant.stores.arrays.graph import columns
from sextant.stores.arrays.graph.edges import (
    Best,
    Edge,
    Ends,
    Key,
    Names,
    Values,
    bases,
    strongest,
    values_of,
)
from sextant.stores.arrays.lists import Array, Ints, joined
from sextant.stores.arrays.segments.sums import ends_of
from sextant.stores.arrays.snapshots.view import Sight, Sights

_LONG = 2
"""A node with more than so many times the edges that are asked for is a hub."""

_FEW = 8
"""Up to so many nodes are sought faster one by one than all at once."""

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
    for node, rivals in zip(new, _rivals(sights, new, kinds, ends, per_node + 1), strict=True):
        found[node] = best = _best_of(rivals, per_node, names)
        sights.keep(("best", node, rule), best, _NODE_BYTES + _EDGE_BYTES * len(best.edges))
    crossed = {edge.key: edge for best in found.values() for edge in best.edges}
    return Hop(list(crossed.values()), {node for node, best in found.items() if best.capped})


def _best_of(rivals: Sequence[list[Edge]], per_node: int, names: Names) -> Best:
    """Choose the best edges at each end of a node."""
    best = [strongest(own, per_node, names) if len(own) > per_node else own for own in rivals]
    return Best([edge for own in best for edge in own], any(len(own) > per_node for own in rivals))


def _rivals(
    sights: Sights, nodes: Sequence[int], kinds: Ints | None, ends: Ends, k: int
) -> Iterator[Sequence[list[Edge]]]:
    """Yield for each node by end the edges that could be among its best k."""
    if not nodes or not sights:
        yield from ([] for _ in nodes)
        return
    by_end = [zip(*(_held(sight, end, nodes) for sight in sights), strict=True) for end in ends]
    held = list(zip(*by_end, strict=True))
    hubs = [any(sum(map(len, lists)) > _LONG * k for lists in own) for own in held]
    few = [lists for own, hub in zip(held, hubs, strict=True) if not hub for lists in own]
    edges = _add_up(sights, [joined(own) for own in zip(*few, strict=True)], kinds) if few else []
    found = [_by_node(edges, end) for end in ends]
    for node, own, hub in zip(nodes, held, hubs, strict=True):
        if hub:
            yield [columns.rivals(sights, _kept(sights, lists, kinds), k) for lists in own]
        else:
            yield [at_end.get(node, []) for at_end in found]


def _held(sight: Sight, end: int, nodes: Sequence[int]) -> list[Array]:
    """Return the edges that a segment holds of each node at one end, from strong to weak."""
    index = (sight.segment.out_edges, sight.segment.in_edges)[end]
    if len(nodes) <= _FEW or not len(index.keys):
        return [index.find(node) for node in nodes]
    wanted = np.array(nodes, np.int64)
    places = index.keys.searchsorted(wanted)
    known = index.keys.take(places, mode="clip") == wanted
    starts, items = index.lists.starts, index.lists.items
    cuts = zip(starts.take(places).tolist(), starts.take(places + known).tolist(), strict=True)
    return [items[start:end] for start, end in cuts]


def _kept(sights: Sights, places: Sequence[Array], kinds: Ints | None) -> Sequence[Array]:
    """Return which of each segment's edges are of these kinds."""
    if kinds is None:
        return places
    each = zip(sights, places, strict=True)
    return [own[np.isin(one.segment.column("edge.kind").take(own), kinds)] for one, own in each]


def _add_up(sights: Sights, chosen: Sequence[Array], kinds: Ints | None) -> list[Edge]:
    """Return what the edges at these places of each segment add up to; a place may come twice."""
    sums: dict[Key, Edge] = {}
    kept = _kept(sights, chosen, kinds)
    for sight, places, base in zip(sights, kept, bases(sights), strict=False):
        for one in _each(values_of(sight, places, base)) if len(places) else ():
            edge = sums.get(one[0])
            if edge is None:
                sums[one[0]] = Edge(*one)
                continue
            _, confidence, weight, support, parts = one
            if edge.parts[-1:] == parts:
                continue
            edge.confidence = max(confidence, edge.confidence)
            edge.weight += weight
            edge.support += support
            edge.parts += parts
    return list(sums.values())


def _each(values: Values) -> Iterator[tuple[Key, float, int, int, tuple[int, ...]]]:
    keys = zip(*(own.tolist() for own in (*ends_of(values.pair), values.kind)), strict=True)
    said = (values.confidence.tolist(), values.weight.tolist(), values.support.tolist())
    return zip(keys, *said, zip(values.part.tolist(), strict=True), strict=True)


def _by_node(edges: Sequence[Edge], end: int) -> dict[int, list[Edge]]:
    groups: dict[int, list[Edge]] = defaultdict(list)
    for edge in edges:
        groups[edge.key[end]].append(edge)
    return groups
