"""The small reader: few layers, the teacher's table of words, and rows in bytes by fixed scales.

Its vector is the mean of its rows, as the teacher would have it; turned by a matrix, the mean over
a piece's tokens is what MiniLM says of the piece. ReLU needs no step below zero, and scales that
are the same for all texts need no look at the rows before they are rounded. Queries and keys are
half as wide as values, which takes a fifth off a passage's time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from bench.distilling.original import LAYERS, WIDTH
from bench.distilling.teacher import EPSILON, Teacher, Tensors, in_heads

HEADS, SOUGHT, INNER, PLACES = 6, 32, 768, 256
TURN = "pieces"
"""What turns rows to what MiniLM says."""

_LARGEST = ".largest"

_MOST, _SIGNED = 255.0, 127.0
_STEPS = 64.0
"""Weights have so few steps to each side that no sum of two products overflows on any processor."""

_SAMPLE, _SHARE = 200_000, 0.99995
"""The largest of so many numbers may be cut off, beyond this share of them."""

_MEMORY = 0.9


@dataclass(slots=True)
class Student:
    """What is learnt, the largest number at every point, and whether rows are rounded by it yet."""

    words: torch.Tensor
    learnt: Tensors
    layers: int
    largest: Tensors = field(default_factory=dict)
    is_rounded: bool = False
    is_watching: bool = True

    def vectors(self, ids: torch.Tensor) -> torch.Tensor:
        """Return what each text is about: the mean of its rows, of length 1."""
        return functional.normalize(self.rows(ids).float().mean(1), dim=-1)

    def rows(self, ids: torch.Tensor, known: torch.Tensor | None = None) -> torch.Tensor:
        """Return a row for each token."""
        kind = torch.bfloat16 if self.words.is_cuda else torch.float32
        begun = self.words[ids] + self.learnt["places"][: ids.shape[1]]
        rows = self._normalised("norm", begun.to(kind))
        shown = None if known is None else known[:, None, None, :]
        for number in range(self.layers):
            layer = f"layer.{number}"
            parts = self._product(f"{layer}.query_key_value", self._rounded(f"{layer}.read", rows))
            widths = [HEADS * SOUGHT, HEADS * SOUGHT, WIDTH]
            query, key, value = (in_heads(one, HEADS) for one in parts.split(widths, dim=-1))
            seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=shown)
            flat = self._rounded(f"{layer}.seen", seen.transpose(1, 2).flatten(2))
            new = self._product(f"{layer}.output", flat)
            rows = self._normalised(f"{layer}.looked", rows + new)
            wide = self._multiplied(f"{layer}.widen", self._rounded(f"{layer}.looked", rows))
            bent = self._rounded(f"{layer}.bent", functional.relu(wide))
            rows = self._normalised(f"{layer}.bent", rows + self._product(f"{layer}.narrow", bent))
        return rows

    def turned(self, rows: torch.Tensor) -> torch.Tensor:
        """Return what MiniLM would say where these are sums of rows."""
        return rows @ self.learnt[TURN]

    def _product(self, role: str, rows: torch.Tensor) -> torch.Tensor:
        return self._multiplied(role, rows, self.learnt[f"{role}.bias"].to(rows.dtype))

    def _multiplied(
        self, role: str, rows: torch.Tensor, bias: torch.Tensor | None = None
    ) -> torch.Tensor:
        matrix = self.learnt[role]
        if self.is_rounded:
            scales = matrix.detach().abs().amax(0, keepdim=True) / _STEPS
            steps = torch.round(matrix / scales).clamp(-_STEPS, _STEPS)
            matrix = matrix + (steps * scales - matrix).detach()
        return functional.linear(rows, matrix.to(rows.dtype).T, bias)

    def _normalised(self, role: str, rows: torch.Tensor) -> torch.Tensor:
        own = (self.learnt[f"{role}.{one}"].to(rows.dtype) for one in ("weight", "bias"))
        return functional.layer_norm(rows, (WIDTH,), *own, EPSILON)

    def _rounded(self, point: str, rows: torch.Tensor) -> torch.Tensor:
        if self.is_watching:
            self._watch(point, rows.detach().float())
        if not self.is_rounded:
            return rows
        least, most = (0.0, _MOST) if point.endswith("bent") else (-_SIGNED - 1, _SIGNED)
        scale = self.largest[point] / most
        bounded = (rows.float() / scale).clamp(least, most)
        return ((bounded + (torch.round(bounded) - bounded).detach()) * scale).to(rows.dtype)

    def _watch(self, point: str, rows: torch.Tensor) -> None:
        flat = rows.abs().flatten()
        drawn = flat[torch.randint(0, flat.numel(), (_SAMPLE,), device=flat.device)]
        now = torch.quantile(drawn, _SHARE)
        before = self.largest.get(point, now)
        self.largest[point] = _MEMORY * before + (1 - _MEMORY) * now


def new_student(teacher: Teacher, layers: int) -> Student:
    """Return a student that begins with layers of the teacher, each with half of its middle."""
    whole = {name: own.float() for name, own in teacher.weights.items()}
    learnt = {name: whole[name] for name in ("norm.weight", "norm.bias")}
    learnt["places"] = whole["places"][:PLACES]
    learnt[TURN] = torch.eye(WIDTH, device=learnt["places"].device)
    for number in range(layers):
        from_layer = round(number * (LAYERS - 1) / max(1, layers - 1))
        learnt |= _begun(whole, f"layer.{from_layer}", f"layer.{number}")
    learnt = {name: own.clone().requires_grad_() for name, own in learnt.items()}
    return Student(whole["words"], learnt, layers)


def _begun(whole: Tensors, theirs: str, own: str) -> Tensors:
    strength = whole[f"{theirs}.widen"].norm(dim=0) * whole[f"{theirs}.narrow"].norm(dim=1)
    strongest = strength.topk(INNER).indices
    kept = ("output", "output.bias", "narrow.bias")
    norms = [f"{norm}.{one}" for norm in ("looked", "bent") for one in ("weight", "bias")]
    return {
        f"{own}.query_key_value": torch.cat(_seeking(whole, theirs, ""), -1),
        f"{own}.query_key_value.bias": torch.cat(_seeking(whole, theirs, ".bias"), -1),
        f"{own}.widen": whole[f"{theirs}.widen"][:, strongest],
        f"{own}.narrow": whole[f"{theirs}.narrow"][strongest],
        **{f"{own}.{name}": whole[f"{theirs}.{name}"] for name in (*kept, *norms)},
    }


def _seeking(whole: Tensors, theirs: str, kind: str) -> list[torch.Tensor]:
    """Return every second of the teacher's heads that seek, and all that is looked at."""
    sought = [whole[f"{theirs}.{part}{kind}"] for part in ("query", "key")]
    cut = [one.unflatten(-1, (-1, SOUGHT))[..., ::2, :].flatten(-2) for one in sought]
    return [*cut, whole[f"{theirs}.value{kind}"]]


def student_of(words: torch.Tensor, arrays: Mapping[str, NDArray[Any]]) -> Student:
    """Return the student that these arrays are of, on the device of its teacher's words."""
    numbers = {name: torch.tensor(own, device=words.device) for name, own in arrays.items()}
    largest = {
        name.removesuffix(_LARGEST): numbers.pop(name)
        for name in list(numbers)
        if name.endswith(_LARGEST)
    }
    layers = sum(name.endswith(".widen") for name in numbers)
    learnt = {name: own.requires_grad_() for name, own in numbers.items()}
    return Student(words.float(), learnt, layers, largest)


def arrays_of(student: Student) -> Mapping[str, NDArray[Any]]:
    """Return what a runtime needs beside the table of words."""
    learnt = {name: own.detach().cpu().numpy() for name, own in student.learnt.items()}
    largest = {f"{point}{_LARGEST}": own.cpu().numpy() for point, own in student.largest.items()}
    return {name: np.asarray(own, np.float32) for name, own in (learnt | largest).items()}
