"""bge-small in PyTorch, as it is: it asks, and tells what passages are about. Learns nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from torch.nn import functional

from bench.distilling.original import HEADS, LAYERS, WIDTH, read_weights

Tensors = dict[str, torch.Tensor]
CLS, SEP = 101, 102
INSTRUCTION = "Represent this sentence for searching relevant passages: "
EPSILON = 1e-12


@dataclass(frozen=True, slots=True)
class Teacher:
    """The weights, in half precision where there is a GPU."""

    weights: Tensors

    def vectors(self, ids: torch.Tensor, known: torch.Tensor | None = None) -> torch.Tensor:
        """Return what each text is about: the row of its first token, of length 1."""
        with torch.no_grad():
            return functional.normalize(self._rows(ids, known)[:, 0].float(), dim=-1)

    def _rows(self, ids: torch.Tensor, known: torch.Tensor | None) -> torch.Tensor:
        own = self.weights
        rows = self._normalised("norm", own["words"][ids] + own["places"][: ids.shape[1]])
        shown = None if known is None else known[:, None, None, :]
        for number in range(LAYERS):
            layer = f"layer.{number}"
            query, key, value = (
                in_heads(self._product(f"{layer}.{part}", rows), HEADS)
                for part in ("query", "key", "value")
            )
            seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=shown)
            new = self._product(f"{layer}.output", seen.transpose(1, 2).flatten(2))
            rows = self._normalised(f"{layer}.looked", rows + new)
            wide = functional.gelu(self._product(f"{layer}.widen", rows))
            rows = self._normalised(f"{layer}.bent", rows + self._product(f"{layer}.narrow", wide))
        return rows

    def _product(self, role: str, rows: torch.Tensor) -> torch.Tensor:
        return functional.linear(rows, self.weights[role].T, self.weights[f"{role}.bias"])

    def _normalised(self, role: str, rows: torch.Tensor) -> torch.Tensor:
        weight, bias = self.weights[f"{role}.weight"], self.weights[f"{role}.bias"]
        return functional.layer_norm(rows, (WIDTH,), weight, bias, EPSILON)


def opened(model: Path, device: str) -> Teacher:
    """Read the teacher."""
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    weights = {name: torch.tensor(own) for name, own in read_weights(model).items()}
    return Teacher({name: own.to(device, kind) for name, own in weights.items()})


def in_heads(rows: torch.Tensor, heads: int) -> torch.Tensor:
    """Return rows cut into heads, which come before the tokens."""
    return rows.unflatten(-1, (heads, -1)).transpose(1, 2)
