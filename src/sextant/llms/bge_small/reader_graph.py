"""The small reader of passages as a graph. Knows its layers, no runtime.

Rows are rounded by scales that are the same for all texts, so that a product of bytes gives in one
step what is needed next. The weights' steps lie within 64 to each side: no sum of two products
overflows on any processor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sextant.llms.bge_small.layer_parts import (
    WIDTH,
    attended,
    embedded,
    layer_names,
    normalised,
    side_by_side,
)
from sextant.llms.local_nets.onnx_format import FLOAT, INT64, Graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sextant.llms.bge_small.layer_parts import Arrays

_HEADS = 6
_MIDDLE, _SIGNED, _UNSIGNED = 128, 127, 255


def written(table: Arrays, reader: Arrays) -> bytes:
    """Return a graph that turns ids into a row for each, with the words of the table."""
    graph = Graph("reader")
    ids = graph.input("ids", INT64, ["tokens"])
    rows = embedded(graph, ids, table, reader)
    for name in layer_names(reader):
        layer = _Layer(graph, reader, name)
        rows = layer.widen_and_narrow(layer.attend(rows))
    graph.output(rows, FLOAT, ["tokens", WIDTH])
    return graph.to_bytes()


class _Layer:
    """Writes one layer."""

    def __init__(self, graph: Graph, reader: Arrays, name: str) -> None:
        self._graph, self._reader, self._name = graph, reader, name
        self._middle = graph.constant(np.uint8(_MIDDLE))
        self._none = graph.constant(np.uint8(0))

    def attend(self, rows: str) -> str:
        """Let every token look at every other."""
        steps = self._rounded("read", rows)
        query, key, value = (
            self._product(role, "read", steps) for role in ("query", "key", "value")
        )
        size = _HEADS, self._array("query.scales").size // _HEADS
        seen = attended(self._graph, query, key, value, size)
        # Rounded first, since bytes are moved in less time than numbers.
        flat = side_by_side(self._graph, self._rounded("seen", seen))
        return self._add("looked", rows, self._product("output", "seen", flat))

    def widen_and_narrow(self, rows: str) -> str:
        """Bend each row by itself, in twice the width: a byte cannot be less than zero."""
        scales = self._array("widen.scales")
        read = self._rounded("looked", rows), self._scale("looked"), self._middle
        widen = self._constant("widen.steps"), self._graph.constant(scales)
        zeros = self._graph.constant(np.zeros(scales.size, np.int8))
        scale = self._scale("bent", _UNSIGNED)
        bent = self._graph.call("QLinearMatMul", *read, *widen, zeros, scale, self._none)
        new = self._to_numbers("narrow", bent, scale, self._none)
        return self._add("bent", rows, new)

    def _rounded(self, point: str, rows: str) -> str:
        return self._graph.call("QuantizeLinear", rows, self._scale(point), self._middle)

    def _product(self, role: str, point: str, steps: str) -> str:
        return self._to_numbers(role, steps, self._scale(point), self._middle)

    def _to_numbers(self, role: str, steps: str, scale: str, middle: str) -> str:
        weights, scales, bias = (
            self._constant(f"{role}.{part}") for part in ("steps", "scales", "bias")
        )
        zero = self._graph.constant(np.int8(0))
        operands = steps, weights, scale, scales, middle, zero, bias
        return self._graph.call("com.microsoft.MatMulIntegerToFloat", *operands)

    def _add(self, norm: str, rows: str, new: str) -> str:
        total = self._graph.call("Add", rows, new)
        return normalised(self._graph, total, self._reader, f"{self._name}.{norm}")

    def _scale(self, point: str, steps: int = _SIGNED) -> str:
        return self._graph.constant(self._array(f"{point}.largest") / np.float32(steps))

    def _constant(self, part: str) -> str:
        return self._graph.constant(self._array(part))

    def _array(self, part: str) -> NDArray[np.float32]:
        return self._reader[f"{self._name}.{part}"]
