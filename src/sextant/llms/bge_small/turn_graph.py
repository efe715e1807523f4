"""What turns the reader's sums of rows to what MiniLM says of pieces, as a graph.

ONNX Runtime multiplies in the thread that asks, where numpy would wake others, which then wait
busily for more: a third of all that embedding costs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sextant.llms.bge_small.layer_parts import WIDTH
from sextant.llms.local_nets.onnx_format import FLOAT, Graph

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def written(turn: NDArray[np.float32]) -> bytes:
    """Return a graph that multiplies rows by a matrix."""
    graph = Graph("turn")
    sums = graph.input("sums", FLOAT, ["pieces", WIDTH])
    graph.output(graph.call("MatMul", sums, graph.constant(turn)), FLOAT, ["pieces", WIDTH])
    return graph.to_bytes()
