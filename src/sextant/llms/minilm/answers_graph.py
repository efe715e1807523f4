"""How likely a piece answers a question, as a graph. Knows the small net, no runtime.

ONNX Runtime multiplies in the thread that asks, where numpy would wake others, which then wait
busily for more through all the rest of an answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from sextant.llms.local_nets.onnx_format import BYTE, FLOAT, Graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

STRETCH = np.float32(20)
"""Numbers in a vector of length 1 are small; the fit took them so many times larger."""

_WIDTH = 384


def written(fitted: Mapping[str, Floats]) -> bytes:
    """Return a sum: how alike a turned question is to a piece, and a net that sees both."""
    graph = Graph("answers")
    question = graph.input("question", FLOAT, [1, _WIDTH])
    codes = graph.input("codes", BYTE, ["pieces", _WIDTH])
    pieces = graph.call("LpNormalization", graph.call("Cast", codes, to=FLOAT), axis=1, p=2)
    turned = graph.call("MatMul", question, graph.constant(fitted["turn"].T.copy()))
    turned = graph.call("LpNormalization", turned, axis=1, p=2)
    scale, shift = fitted["scale"]
    alike = graph.call("MatMul", pieces, graph.call("Transpose", turned, perm=[1, 0]))
    net = graph.call("Tanh", _seen(graph, question, pieces, fitted))
    net = graph.call("MatMul", net, graph.constant(fitted["outer"].reshape(-1, 1)))
    odds = graph.call("Add", graph.call("Mul", alike, graph.constant(scale)), net)
    bias = graph.constant(shift + fitted["outer_bias"].reshape(1))
    graph.output(graph.call("Add", odds, bias), FLOAT, ["pieces", 1])
    return graph.to_bytes()


def _seen(graph: Graph, question: str, pieces: str, fitted: Mapping[str, Floats]) -> str:
    """Write down what the net sees: where both are large, and how far they are apart."""
    common, apart = np.split(fitted["inner"] * STRETCH, 2)
    column = graph.call("Transpose", question, perm=[1, 0])
    # A piece times the question, by a matrix, is the piece by a matrix that has the question in it.
    both = graph.call("MatMul", pieces, graph.call("Mul", column, graph.constant(common)))
    distance = graph.call("Abs", graph.call("Sub", pieces, question))
    differ = graph.call("MatMul", distance, graph.constant(apart))
    bias = graph.constant(fitted["inner_bias"])
    return graph.call("Add", graph.call("Add", both, differ), bias)
