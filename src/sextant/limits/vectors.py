"""Vectors as they may come in: of the right width, finite, of length 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sextant.errors import InvalidVector


def check_vector(vector: NDArray[np.float32], width: int) -> NDArray[np.float32]:
    """Return the vector with length 1, or refuse it."""
    row: NDArray[np.float32] = check_vectors(np.asarray(vector)[None], 1, width)[0]
    return row


def check_vectors(vectors: NDArray[np.float32], count: int, width: int) -> NDArray[np.float32]:
    """Return the vectors with length 1 each, or refuse them."""
    wanted = (count, width)
    vectors = np.asarray(vectors)
    if vectors.shape != wanted or vectors.dtype.kind not in "fiu":
        raise InvalidVector(
            f"Vectors of shape {vectors.shape} and type {vectors.dtype} do not fit; "
            f"this store takes {wanted} of float32.",
            "Embed with the embedder that the store was made with.",
        )
    wide = vectors.astype(np.float64)
    norms = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    if not (np.isfinite(norms) & (norms > 0)).all():
        raise InvalidVector(
            "A vector has NaN, infinity or only zeros in it.",
            "Check the embedder; leave the vectors out to store text without them.",
        )
    return np.asarray(wide / norms[:, None], dtype=np.float32)
