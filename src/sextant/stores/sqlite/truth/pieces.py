"""The vectors of a chunk's pieces as they lie in a row: all spans, then all codes.

How many there are follows from the length; nothing is NULL, and none is no bytes.
"""

from __future__ import annotations

import numpy as np

from sextant.types import Pieces

_SPAN_BYTES = 8


def to_blob(pieces: Pieces | None) -> bytes | None:
    """Return what is kept of a chunk's pieces."""
    return None if pieces is None else pieces.spans.tobytes() + pieces.codes.tobytes()


def from_blob(blob: bytes | None, width: int) -> Pieces | None:
    """Return the pieces that were kept, with vectors of this width."""
    if blob is None:
        return None
    count = len(blob) // (_SPAN_BYTES + width)
    return Pieces(
        np.frombuffer(blob, np.int32, 2 * count).reshape(count, 2),
        np.frombuffer(blob, np.int8, offset=_SPAN_BYTES * count).reshape(count, width),
    )
