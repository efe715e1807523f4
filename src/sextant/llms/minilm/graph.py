"""MiniLM as a graph that multiplies bytes. Knows the layers of the shipped model, no runtime.

The shipped graph keeps its weights as bytes but multiplies floats. This one takes the same weights
and rounds every token's row to bytes just before each product, by a scale of the row's own, so
that no row is rounded more coarsely because another one is large.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sextant.llms.local_nets.onnx_format import FLOAT, INT64, Graph, read_tensors
from sextant.llms.minilm.tuning import tuned

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Weights = dict[str, NDArray[Any]]

WIDTH = 384
_LAYERS = 6
_MATRICES = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)
_HEADS = 12
_EPSILON = 1e-12
_MIDDLE = 128
# GELU gives nothing below -0.17, so few of the 256 steps need to lie below its zero.
_GELU_LEAST, _GELU_MIDDLE = 0.17, 16


def derive(
    shipped: bytes, tokens: int, *, as_released: bool = False, signed: bool = False
) -> bytes:
    """Return a model that turns the ids of at most so many tokens into a vector of length 1.

    It also gives each token's own row, of which the vector is the mean. As released, it knows
    nothing of what it was taught since. Signed weights are for processors that multiply them
    exactly; what comes out is the same, bit for bit.
    """
    weights = read_tensors(shipped)
    if not as_released:
        weights = tuned(weights, zip(roles(), _matrix_names(weights), strict=True))
    graph = Graph("minilm")
    ids = graph.input("ids", INT64, ["tokens"])
    encoder = _Encoder(graph, ids, tokens)
    rows = encoder.embed(_beneath(weights, "inner.embeddings."), ids)
    for layer in _layers(weights, signed=signed):
        rows = encoder.attend(layer, rows)
        rows = encoder.widen_and_narrow(layer, rows)
    mean = graph.call("ReduceMean", rows, graph.constant(np.array([1])), keepdims=0)
    graph.output(graph.call("LpNormalization", mean, axis=-1, p=2), FLOAT, [1, WIDTH])
    graph.output(rows, FLOAT, [1, "tokens", WIDTH])
    return graph.to_bytes()


@dataclass(frozen=True, slots=True)
class _Matrix:
    """Bytes around 0, or around 128 where they have no sign, and a scale for each column."""

    steps: NDArray[np.int8] | NDArray[np.uint8]
    scales: NDArray[np.float32]

    @property
    def middle(self) -> int:
        """The byte that stands for zero."""
        return 0 if self.steps.dtype == np.int8 else _MIDDLE


@dataclass(frozen=True, slots=True)
class _Layer:
    """The weights of one layer."""

    rest: Weights
    query: _Matrix
    key: _Matrix
    value: _Matrix
    output: _Matrix
    widen: _Matrix
    narrow: _Matrix


def _layers(weights: Weights, *, signed: bool) -> list[_Layer]:
    kept = np.asarray if signed else _unsigned
    matrices = [
        _Matrix(kept(weights[f"{name}_q"]), weights[f"{name}_scale"].reshape(-1))
        for name in _matrix_names(weights)
    ]
    return [
        _Layer(_beneath(weights, f"inner.encoder.layer.{number}."), *matrices[6 * number :][:6])
        for number in range(_LAYERS)
    ]


def _matrix_names(weights: Weights) -> list[str]:
    """Return the names of the matrices, which tell nothing but the order of their use."""
    return [
        name.removesuffix("_q")
        for name in weights
        if name.startswith("val_") and name.endswith("_q")
    ]


def roles() -> list[str]:
    """Return what each matrix is in the model, in the same order."""
    return [f"inner.encoder.layer.{layer}.{role}" for layer in range(_LAYERS) for role in _MATRICES]


def _unsigned(steps: NDArray[np.int8]) -> NDArray[np.uint8]:
    # Unsigned on both sides is multiplied exactly everywhere.
    return steps.view(np.uint8) ^ np.uint8(_MIDDLE)


def _beneath(weights: Weights, prefix: str) -> Weights:
    return {
        name.removeprefix(prefix): array
        for name, array in weights.items()
        if name.startswith(prefix)
    }


@dataclass(frozen=True, slots=True)
class _Rounded:
    """Rows as bytes, the scale of each row, and the byte that stands for zero."""

    steps: str
    scales: str
    zero: str


class _Encoder:
    """Writes the parts of a layer. Rows have three axes: one passage, its tokens, the width."""

    def __init__(self, graph: Graph, ids: str, tokens: int) -> None:
        self._graph = graph
        self._tokens = tokens
        self._count = graph.call("Shape", ids)
        self._first = graph.constant(np.array([0]))
        self._last = graph.constant(np.array([-1]))
        self._all_but_tokens = graph.constant(np.array([0, 2]))
        self._one = graph.constant(np.float32(1))
        self._middle = graph.constant(np.uint8(_MIDDLE))
        self._middles = self._for_each_token(np.full(tokens, _MIDDLE, np.uint8))
        self._gelu_middle = graph.constant(np.uint8(_GELU_MIDDLE))
        self._gelu_middles = self._for_each_token(np.full(tokens, _GELU_MIDDLE, np.uint8))
        self._ones = self._for_each_token(np.ones(tokens, np.float32))
        self._zeros = self._for_each_token(np.zeros(tokens, np.float32))

    def embed(self, tables: Weights, ids: str) -> str:
        """Look the tokens up, add what their places mean, and normalise."""
        graph = self._graph
        steps = graph.call("Gather", graph.constant(tables["word_embeddings.weight_q"]), ids)
        scales = graph.call("Gather", graph.constant(tables["word_embeddings.weight_scale"]), ids)
        words = graph.call("Mul", graph.call("Cast", steps, to=FLOAT), scales)
        place = tables["position_embeddings.weight_q"] * tables["position_embeddings.weight_scale"]
        place += tables["token_type_embeddings.weight"][0]
        rows = graph.call("Add", words, self._for_each_token(place[: self._tokens]))
        return self._normalise(graph.call("Unsqueeze", rows, self._first), tables, "LayerNorm")

    def attend(self, layer: _Layer, rows: str) -> str:
        """Let every token look at every other; queries, keys and values come of one product."""
        graph, parts = self._graph, (layer.query, layer.key, layer.value)
        merged = _Matrix(
            np.concatenate([part.steps for part in parts], axis=1),
            np.concatenate([part.scales for part in parts]),
        )
        names = (f"attention.self.{name}.bias" for name in ("query", "key", "value"))
        bias = graph.constant(np.concatenate([layer.rest[name] for name in names]))
        three = graph.call_many(
            3, "Split", self._product(self._rounded(rows), merged), axis=-1, num_outputs=3
        )
        seen = graph.call("com.microsoft.MultiHeadAttention", *three, bias, num_heads=_HEADS)
        new = self._product(self._rounded(seen), layer.output)
        return self._add(rows, new, layer.rest, "attention.output")

    def widen_and_narrow(self, layer: _Layer, rows: str) -> str:
        """Bend each row by itself, in four times the width."""
        wide = self._product(self._rounded(rows), layer.widen)
        bias = self._graph.constant(layer.rest["intermediate.dense.bias"])
        # GELU by tanh: half the time, and vectors no farther from the original's.
        bent = self._graph.call("com.microsoft.FastGelu", wide, bias)
        new = self._product(self._rounded_gelu(bent), layer.narrow)
        return self._add(rows, new, layer.rest, "output")

    def _for_each_token(self, table: NDArray[Any]) -> str:
        constant = self._graph.constant(table)
        return self._graph.call("Slice", constant, self._first, self._count, self._first)

    def _rounded(self, rows: str) -> _Rounded:
        sizes = self._graph.call("Abs", rows)
        largest = self._graph.call("ReduceMax", sizes, self._all_but_tokens, keepdims=0)
        step = self._graph.constant(np.float32(1 / 127))
        scales = self._graph.call("Mul", largest, step)
        steps = self._graph.call("QuantizeLinear", rows, scales, self._middles, axis=1)
        return _Rounded(steps, scales, self._middle)

    def _rounded_gelu(self, rows: str) -> _Rounded:
        graph = self._graph
        largest = graph.call("ReduceMax", rows, self._all_but_tokens, keepdims=0)
        step = graph.constant(np.float32(1 / (255 - _GELU_MIDDLE)))
        least = graph.constant(np.float32(_GELU_LEAST / _GELU_MIDDLE))
        scales = graph.call("Max", graph.call("Mul", largest, step), least)
        steps = graph.call("QuantizeLinear", rows, scales, self._gelu_middles, axis=1)
        return _Rounded(steps, scales, self._gelu_middle)

    def _product(self, rows: _Rounded, matrix: _Matrix) -> str:
        graph = self._graph
        operands = rows.steps, graph.constant(matrix.steps)
        scales = self._one, graph.constant(matrix.scales)
        zero = graph.constant(matrix.steps.dtype.type(matrix.middle))
        product = graph.call(
            "com.microsoft.MatMulIntegerToFloat", *operands, *scales, rows.zero, zero
        )
        return graph.call("Mul", product, graph.call("Unsqueeze", rows.scales, self._last))

    def _add(self, rows: str, new: str, weights: Weights, part: str) -> str:
        bias = self._graph.constant(weights[f"{part}.dense.bias"])
        total = self._graph.call("Add", self._graph.call("Add", new, bias), rows)
        return self._normalise(total, weights, f"{part}.LayerNorm")

    def _normalise(self, rows: str, weights: Weights, norm: str) -> str:
        graph = self._graph
        # With tokens for channels this is what LayerNormalization does, in two fifths of its time.
        unit = graph.call("InstanceNormalization", rows, self._ones, self._zeros, epsilon=_EPSILON)
        scaled = graph.call("Mul", unit, graph.constant(weights[f"{norm}.weight"]))
        return graph.call("Add", scaled, graph.constant(weights[f"{norm}.bias"]))
