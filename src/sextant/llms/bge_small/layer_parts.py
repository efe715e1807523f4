"""What both graphs have alike: words looked up, tokens that look at each other, and norms.

Rows have two axes: the tokens of one text, and the width. Knows no order of layers, no rounding.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sextant.llms.local_nets.onnx_format import Graph

    Arrays = Mapping[str, NDArray[Any]]

WIDTH = 384
BGE_PLACES, READER_PLACES = 512, 256
"""So many tokens are read at once."""

_EPSILON = 1e-12


def layer_names(net: Arrays) -> list[str]:
    """Return what the names of each layer's arrays begin with."""
    return [
        f"layer.{number}" for number in range(sum(name.endswith(".widen.steps") for name in net))
    ]


def embedded(graph: Graph, ids: str, table: Arrays, net: Arrays) -> str:
    """Look words up in the table, add what the places mean in this net, and normalise."""
    steps = graph.call("Gather", graph.constant(table["words.steps"]), ids)
    scale, middle = (graph.constant(table[f"words.{part}"]) for part in ("scale", "middle"))
    words = graph.call("DequantizeLinear", steps, scale, middle)
    places = for_each_token(graph, ids, net["places"])
    return normalised(graph, graph.call("Add", words, places), net, "norm")


def for_each_token(graph: Graph, ids: str, table: NDArray[Any]) -> str:
    """Take from a table by place, for as many places as there are ids.

    Unlike after a slice, it is known then that shapes are the same: where that is unknown, ONNX
    Runtime takes three times as long to start.
    """
    ones = graph.call("Sub", graph.call("Add", ids, graph.constant(np.array(1))), ids)
    places = graph.call("CumSum", ones, graph.constant(np.array(0)), exclusive=1)
    return graph.call("Gather", graph.constant(table), places)


def attended(graph: Graph, query: str, key: str, value: str, size: tuple[int, int]) -> str:
    """Let rows of the query look at all of the key; what they see has heads for its first axis.

    The size is how many heads there are, and how wide each of them is in a query. Attention in one
    step is no faster in ONNX Runtime, and far slower where it takes bytes.
    """
    heads, width = size
    shapes = (graph.constant(np.array([0, heads, one])) for one in (width, width, WIDTH // heads))
    three = zip((query, key, value), shapes, strict=True)
    query, key, value = (graph.call("Reshape", rows, shape) for rows, shape in three)
    product = "com.microsoft.FusedMatMul"
    both = {"transBatchA": 1, "transBatchB": 1, "transB": 1}
    alike = graph.call(product, query, key, **both, alpha=width**-0.5)
    return graph.call(product, graph.call("Softmax", alike, axis=-1), value, transBatchB=1)


def side_by_side(graph: Graph, seen: str) -> str:
    """Put what all heads see into one row for each token."""
    by_token = graph.call("Transpose", seen, perm=[1, 0, 2])
    return graph.call("Reshape", by_token, graph.constant(np.array([0, WIDTH])))


def normalised(graph: Graph, rows: str, net: Arrays, role: str) -> str:
    """Write the norm of each row."""
    weight, bias = (graph.constant(net[f"{role}.{part}"]) for part in ("weight", "bias"))
    return graph.call("LayerNormalization", rows, weight, bias, axis=-1, epsilon=_EPSILON)
