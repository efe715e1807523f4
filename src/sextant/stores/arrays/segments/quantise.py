"""Vectors as bytes, with a bound on what was lost, so that search over bytes can be exact."""

from __future__ import annotations

import numpy as np

from sextant.stores.arrays.lists import Array
from sextant.text.rounding import rounded


def quantise(exact: Array) -> tuple[Array, Array, Array]:
    """Return codes, scales and slacks: row ≈ code · scale, off by at most slack in length.

    A row of zeros, which stands for no vector, has scale 0.
    """
    code, scale = rounded(exact)
    lost = exact - code.astype(np.float32) * scale[:, None]
    slack = np.sqrt(np.einsum("ij,ij->i", lost, lost, dtype=np.float64))
    return code, scale, np.nextafter(slack.astype(np.float32), np.float32(np.inf))
