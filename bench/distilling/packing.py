"""The teacher and a student as the package carries them: matrices in bytes, by column."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.distilling.original import LAYERS, WIDTH, read_weights, read_words

Arrays = Mapping[str, NDArray[Any]]

_STEPS = 64
"""As the student is taught, and as the teacher's file is."""

_MATRICES = ("query", "key", "value", "output", "widen", "narrow")
_MERGED = "query_key_value"
_MIDDLES = ("passages", "questions")


def packed_teacher(model: Path) -> Arrays:
    """Return all of the teacher."""
    weights: dict[str, NDArray[Any]] = dict(read_weights(model))
    del weights["words"]
    return read_words(model) | _in_bytes(weights, LAYERS)


def packed_student(student: Arrays) -> Arrays:
    """Return a student without the table of words, which is the teacher's."""
    weights = dict(student)
    layers = sum(name.endswith(f".{_MERGED}") for name in weights)
    for number in range(layers):
        for kind in ("", ".bias"):
            merged = weights.pop(f"layer.{number}.{_MERGED}{kind}")
            sought = (merged.shape[-1] - WIDTH) // 2
            parts = np.split(merged, [sought, 2 * sought], axis=-1)
            for role, part in zip(_MATRICES[:3], parts, strict=True):
                weights[f"layer.{number}.{role}{kind}"] = part
    weights["pieces"] = weights["pieces"].astype(np.float16)
    return _in_bytes(weights, layers)


def unpacked_student(packed: Arrays) -> Arrays:
    """Return the numbers of a packed student, without its middles."""
    weights = {name: packed[name] for name in packed if name not in _MIDDLES}
    steps = [name.removesuffix(".steps") for name in weights if name.endswith(".steps")]
    for role in steps:
        weights[role] = weights.pop(f"{role}.steps") * weights.pop(f"{role}.scales")
    for number in range(sum(role.endswith(".query") for role in steps)):
        for kind in ("", ".bias"):
            parts = [weights.pop(f"layer.{number}.{role}{kind}") for role in _MATRICES[:3]]
            weights[f"layer.{number}.{_MERGED}{kind}"] = np.concatenate(parts, -1)
    return {name: own.astype(np.float32) for name, own in weights.items()}


def _in_bytes(weights: dict[str, NDArray[Any]], layers: int) -> dict[str, NDArray[Any]]:
    found = dict(weights)
    for role in (f"layer.{number}.{role}" for number in range(layers) for role in _MATRICES):
        found[f"{role}.steps"], found[f"{role}.scales"] = _rounded(found.pop(role))
    return found


def _rounded(matrix: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    scales = np.abs(matrix).max(0) / np.float32(_STEPS)
    return np.rint(matrix / scales).astype(np.int8), scales
