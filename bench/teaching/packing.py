"""What was learnt, as the two files that the package reads. Halves are exact enough for most."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bench.teaching.encoder import Tensors
from bench.teaching.fitting import Taught

TARGET = Path(__file__).parents[2] / "src/sextant/llms"
_EXACT = frozenset({"scale", "inner_bias", "outer", "outer_bias"})
"""Numbers of the head that are few, and multiply or shift all others."""


def write(taught: Taught, folder: Path) -> None:
    """Write what the encoder and its head learnt into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    _save(folder / "tuning.npz", taught.pupil.learnt)
    _save(folder / "answers.npz", taught.head.learnt)


def _save(path: Path, learnt: Tensors) -> None:
    arrays = {name: tensor.detach().cpu().numpy() for name, tensor in learnt.items()}
    packed: dict[str, Any] = {
        name: array.astype(np.float32 if name in _EXACT else np.float16)
        for name, array in arrays.items()
    }
    np.savez_compressed(path, **packed)
