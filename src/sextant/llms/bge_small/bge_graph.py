"""bge-small-en-v1.5 as a graph that multiplies bytes. Knows its layers, no runtime.

Every row is rounded to bytes just before each product, by a scale of its own. The released weights
lie within 64 steps to each side: no sum of two products overflows on any processor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sextant.llms.bge_small.layer_parts import (
    BGE_PLACES,
    WIDTH,
    attended,
    embedded,
    for_each_token,
    layer_names,
    normalised,
    side_by_side,
)
from sextant.llms.local_nets.onnx_format import FLOAT, INT64, Graph

if TYPE_CHECKING:
    from sextant.llms.bge_small.layer_parts import Arrays

_HEADS = 12
_SIGNED, _MIDDLE = 127, 128
# GELU gives nothing below -0.17, so few of the 256 steps need to lie below its zero.
_GELU_LEAST, _GELU_MIDDLE = 0.17, 16


def written(bge: Arrays, *, first_only: bool) -> bytes:
    """Return a graph that turns ids into a row for each, or into that of the first alone.

    The first row is what the text is about, once it has length 1.
    """
    graph = Graph("bge")
    ids = graph.input("ids", INT64, ["tokens"])
    rows = _for_each_token(graph, ids, embedded(graph, ids, bge, bge))
    *_, last = names = layer_names(bge)
    for name in names:
        layer = _Layer(graph, bge, name)
        asking = _first(graph, rows) if first_only and name == last else rows
        rows = layer.widen_and_narrow(layer.attend(asking, rows))
    graph.output(rows.numbers, FLOAT, ["rows", WIDTH])
    return graph.to_bytes()


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows, and the bytes that stand for zero in each of them: after GELU, and elsewhere."""

    numbers: str
    gelu_middles: str
    middles: str


@dataclass(frozen=True, slots=True)
class _Rounded:
    """Rows as bytes, the scale of each row, and the byte that stands for zero."""

    steps: str
    scales: str
    zero: np.uint8


def _for_each_token(graph: Graph, ids: str, rows: str) -> _Rows:
    every = (np.full(BGE_PLACES, middle, np.uint8) for middle in (_GELU_MIDDLE, _MIDDLE))
    return _Rows(rows, *(for_each_token(graph, ids, one) for one in every))


def _first(graph: Graph, rows: _Rows) -> _Rows:
    first, end = graph.constant(np.array([0])), graph.constant(np.array([1]))
    middles = (graph.constant(np.full(1, one, np.uint8)) for one in (_GELU_MIDDLE, _MIDDLE))
    return _Rows(graph.call("Slice", rows.numbers, first, end), *middles)


class _Layer:
    """Writes one layer."""

    def __init__(self, graph: Graph, bge: Arrays, name: str) -> None:
        self._graph, self._bge, self._name = graph, bge, name
        self._last = graph.constant(np.array([-1]))
        self._one = graph.constant(np.float32(1))

    def attend(self, asking: _Rows, rows: _Rows) -> _Rows:
        """Let tokens look at every token."""
        query = self._product("query", self._rounded(asking, asking.numbers))
        steps = self._rounded(rows, rows.numbers)
        key, value = (self._product(role, steps) for role in ("key", "value"))
        seen = attended(self._graph, query, key, value, (_HEADS, WIDTH // _HEADS))
        flat = side_by_side(self._graph, seen)
        return self._add("looked", asking, self._product("output", self._rounded(asking, flat)))

    def widen_and_narrow(self, rows: _Rows) -> _Rows:
        """Bend each row by itself, in four times the width."""
        wide = self._product("widen", self._rounded(rows, rows.numbers))
        bent = self._graph.call("com.microsoft.Gelu", wide)
        return self._add("bent", rows, self._product("narrow", self._rounded_gelu(rows, bent)))

    def _rounded(self, rows: _Rows, numbers: str) -> _Rounded:
        graph = self._graph
        scales = self._scales(graph.call("Abs", numbers), _SIGNED)
        steps = graph.call("QuantizeLinear", numbers, scales, rows.middles, axis=0)
        return _Rounded(steps, scales, np.uint8(_MIDDLE))

    def _rounded_gelu(self, rows: _Rows, numbers: str) -> _Rounded:
        graph = self._graph
        least = graph.constant(np.float32(_GELU_LEAST / _GELU_MIDDLE))
        scales = graph.call("Max", self._scales(numbers, 255 - _GELU_MIDDLE), least)
        steps = graph.call("QuantizeLinear", numbers, scales, rows.gelu_middles, axis=0)
        return _Rounded(steps, scales, np.uint8(_GELU_MIDDLE))

    def _scales(self, sizes: str, steps: int) -> str:
        largest = self._graph.call("ReduceMax", sizes, self._last, keepdims=0)
        return self._graph.call("Mul", largest, self._graph.constant(np.float32(1 / steps)))

    def _product(self, role: str, rows: _Rounded) -> str:
        graph = self._graph
        operands = rows.steps, self._constant(f"{role}.steps")
        scales = self._one, self._constant(f"{role}.scales")
        zeros = graph.constant(rows.zero), graph.constant(np.int8(0))
        product = graph.call("com.microsoft.MatMulIntegerToFloat", *operands, *scales, *zeros)
        product = graph.call("Mul", product, graph.call("Unsqueeze", rows.scales, self._last))
        return graph.call("Add", product, self._constant(f"{role}.bias"))

    def _add(self, norm: str, rows: _Rows, new: str) -> _Rows:
        total = self._graph.call("Add", rows.numbers, new)
        total = normalised(self._graph, total, self._bge, f"{self._name}.{norm}")
        return _Rows(total, rows.gelu_middles, rows.middles)

    def _constant(self, part: str) -> str:
        return self._graph.constant(self._bge[f"{self._name}.{part}"])
