"""Vectors as bytes, with a bound on what was lost, so that search over bytes can be exact."""

from __future__ import annotations

import numpy as np

from sextant.stores.arrays.lists import Array

_LEVELS = 127


def quantise(exact: Array) -> tuple[Array, Array, Array]:
    """Return codes, scales and slacks: row ≈ code · scale, off by at most slack in length.

    A row of zeros, which stands for no vector, has scale 0.
    """
    peak = np.abs(exact).max(axis=1, initial=0.0)
    scale = (peak / _LEVELS).astype(np.float32)
    divisor = np.where(scale > 0, scale, 1.0).astype(np.float32)
    code = np.rint(exact / divisor[:, None]).astype(np.int8)
    lost = exact - code.astype(np.float32) * scale[:, None]
    slack = np.sqrt(np.einsum("ij,ij->i", lost, lost, dtype=np.float64))
    return code, scale, np.nextafter(slack.astype(np.float32), np.float32(np.inf))
