"""Vectors of length 1. Knows no net."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what points the same way, of length 1."""
    return vector / np.float32(np.linalg.norm(vector))
