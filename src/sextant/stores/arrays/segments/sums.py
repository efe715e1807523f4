"""Contributions added up to edges within one segment, so that no reader has to.

Knows no reader: what one does not see is taken out by ``faded``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sextant.stores.arrays.lists import Array, Ints, group
from sextant.stores.arrays.segments.segment import number_index

_NUMBER_BITS = 32
_NUMBER = (1 << _NUMBER_BITS) - 1


class Contributions(NamedTuple):
    """What documents say of edges, in the order of documents; chunk is -1 for no evidence."""

    pair: Ints
    kind: Ints
    confidence: Array
    weight: Ints
    document: Array
    chunk: Array


def paired(source: Ints, target: Ints) -> Ints:
    """Join two numbers into one; both ends of an edge are then sought at once."""
    pair: Ints = (source << _NUMBER_BITS) | target
    return pair


def ends_of(pair: Ints) -> tuple[Ints, Ints]:
    """Return source and target."""
    return pair >> _NUMBER_BITS, pair & _NUMBER


def edge_arrays(told: Contributions, chunk_rank: Array) -> dict[str, Array]:
    """Return the edges in order, under each the contributions by chunk id, and each node's edges.

    The edges of a node run from strong to weak.
    """
    by_id = np.append(chunk_rank, np.uint32(len(chunk_rank)))[told.chunk]  # no chunk comes last
    order = np.lexsort((by_id, told.kind, told.pair))
    ordered = Contributions(*(column[order] for column in told))
    first = firsts_of(ordered.pair, ordered.kind)
    arrays: dict[str, Array] = {
        "edge.pair": ordered.pair[first],
        "edge.kind": ordered.kind[first],
        "edge.confidence": ordered.confidence[first],
        "edge.weight": ordered.weight[first],
        "edge.support": np.diff(first, append=len(order)),
        "edge.starts": np.append(first, len(order)),
        "told.document": ordered.document,
        "told.chunk": ordered.chunk,
        "told.confidence": ordered.confidence,
        "told.weight": ordered.weight,
    }
    if len(first):
        arrays["edge.confidence"] = np.maximum.reduceat(ordered.confidence, first)
        arrays["edge.weight"] = np.add.reduceat(ordered.weight, first)
    source, target = ends_of(arrays["edge.pair"])
    strong = np.lexsort((-arrays["edge.weight"], -arrays["edge.confidence"]))
    return arrays | _under("out", source, strong) | _under("in", target, strong)


def firsts_of(pair: Ints, kind: Ints) -> Ints:
    """Return where each edge starts in ordered contributions."""
    new = np.ones(len(pair), bool)
    new[1:] = (pair[1:] != pair[:-1]) | (kind[1:] != kind[:-1])
    return new.nonzero()[0]


def _under(name: str, nodes: Ints, strong: Ints) -> dict[str, Array]:
    keys, codes = np.unique(nodes[strong], return_inverse=True)
    return number_index(name, keys, group(codes, strong.astype(np.uint32), len(keys)))
