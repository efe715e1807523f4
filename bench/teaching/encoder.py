"""The bundled encoder in PyTorch, so that it can learn. Knows its layers, and no lesson.

The shipped matrices stay as they are; learnt is a change of low rank to each, and all biases and
norms, under the names that the package reads them by. An encoder is made anew of both for every
step: one product for each matrix is cheaper than three.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from numpy.typing import NDArray
from torch.nn import functional

from bench.teaching.padding import Padded, mean
from sextant.llms.local_nets.onnx_format import read_tensors
from sextant.llms.minilm.embedder import installed
from sextant.llms.minilm.graph import roles

_RANK = 16
_LAYERS, _HEADS, _WIDTH = 6, 12, 384
_EPSILON = 1e-12
_PARTS = ("query", "key", "value")

Tensors = dict[str, torch.Tensor]
Weights = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Encoder:
    """What tokens and places begin with, and by which weights layers make more of it."""

    words: torch.Tensor
    places: torch.Tensor
    weights: Tensors

    @property
    def device(self) -> torch.device:
        """Where it reckons."""
        return self.words.device

    def rows(self, texts: Padded) -> torch.Tensor:
        """Return a row for each token of each text."""
        rows = self.words[texts.ids] + self.places[: texts.ids.shape[1]]
        rows = self._normalised("inner.embeddings", rows)
        for number in range(_LAYERS):
            layer = f"inner.encoder.layer.{number}"
            new = self._product(f"{layer}.attention.output.dense", self._seen(layer, rows, texts))
            rows = self._normalised(f"{layer}.attention.output", rows + new)
            # The graph that is shipped takes GELU by tanh as well.
            wide = self._product(f"{layer}.intermediate.dense", rows)
            bent = functional.gelu(wide, approximate="tanh")
            new = self._product(f"{layer}.output.dense", bent)
            rows = self._normalised(f"{layer}.output", rows + new)
        return rows

    def vectors(self, texts: Padded) -> torch.Tensor:
        """Return a vector for each text: the mean of its rows."""
        return mean(self.rows(texts), texts)

    def _seen(self, layer: str, rows: torch.Tensor, texts: Padded) -> torch.Tensor:
        """Let every token look at every other of its text."""
        shape = (*rows.shape[:2], _HEADS, _WIDTH // _HEADS)
        query, key, value = (
            self._product(f"{layer}.attention.self.{part}", rows).view(shape).transpose(1, 2)
            for part in _PARTS
        )
        shown = texts.known[:, None, None, :]
        seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=shown)
        return seen.transpose(1, 2).flatten(-2)

    def _product(self, role: str, rows: torch.Tensor) -> torch.Tensor:
        return functional.linear(rows, self.weights[role].T, self.weights[f"{role}.bias"])

    def _normalised(self, part: str, rows: torch.Tensor) -> torch.Tensor:
        weight, bias = (self.weights[f"{part}.LayerNorm.{name}"] for name in ("weight", "bias"))
        return functional.layer_norm(rows, (_WIDTH,), weight, bias, _EPSILON)


@dataclass(frozen=True, slots=True)
class Pupil:
    """An encoder as it was released, and what is learnt on top of it."""

    released: Encoder
    learnt: Tensors

    def encoder(self) -> Encoder:
        """Return the encoder with all that is learnt so far."""
        changed = {
            role: matrix + self.learnt[f"{role}.down"] @ self.learnt[f"{role}.up"]
            for role, matrix in self.released.weights.items()
            if f"{role}.down" in self.learnt
        }
        return replace(self.released, weights=self.released.weights | self.learnt | changed)


def untaught(device: str, model: Path | None = None) -> Pupil:
    """Return a pupil that knows nothing yet of what it is to be taught."""
    weights = read_tensors((model or installed()).read_bytes())
    whole = {name: _whole(weights, name).to(device) for name in _in_bytes(weights)}
    words, places, *matrices = whole.values()
    # Every text is of the first of the two sorts that the model tells apart.
    sort = torch.tensor(weights["inner.embeddings.token_type_embeddings.weight"][0], device=device)
    named = dict(zip(roles(), matrices, strict=True))
    learnt = {
        name: torch.tensor(array, device=device)
        for name, array in weights.items()
        if name.startswith("inner.") and name.endswith((".bias", "LayerNorm.weight"))
    }
    released = Encoder(words, places + sort, named | learnt)
    learnt = {name: tensor.clone() for name, tensor in learnt.items()}
    for role, matrix in named.items():
        learnt |= _unchanged(role, matrix)
    return Pupil(released, learnt)


def _in_bytes(weights: Weights) -> Sequence[str]:
    """Return what is kept in bytes: words and places, then the matrices in order of their use."""
    return [name.removesuffix("_q") for name in weights if name.endswith("_q")]


def _whole(weights: Weights, name: str) -> torch.Tensor:
    return torch.tensor(weights[f"{name}_q"] * weights[f"{name}_scale"], dtype=torch.float32)


def _unchanged(role: str, matrix: torch.Tensor) -> Tensors:
    """Return a change that is none yet, as what comes down is multiplied by nothing."""
    inner, outer = matrix.shape
    down = torch.randn(inner, _RANK).to(matrix.device) / math.sqrt(inner)
    return {f"{role}.down": down, f"{role}.up": torch.zeros(_RANK, outer, device=matrix.device)}
