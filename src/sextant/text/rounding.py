"""Numbers as bytes: a row keeps where it points, and a scale for how far. Knows no vector's use."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_LEVELS = 127


def rounded(rows: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return codes and scales: row ≈ code · scale, by the row's own peak.

    A row of zeros has scale 0.
    """
    peak = np.abs(rows).max(axis=1, initial=0.0)
    scale = (peak / _LEVELS).astype(np.float32)
    divisor = np.where(scale > 0, scale, 1.0).astype(np.float32)
    return np.rint(rows / divisor[:, None]).astype(np.int8), scale
