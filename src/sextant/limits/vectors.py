"""Vectors as they may come in: of the right width, finite, of length 1; those of pieces in bytes.

Knows no embedder. What counts is loaded with the first vector: a process that reads files has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sextant.errors import InvalidInput, InvalidVector
from sextant.types import Pieces, Put

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_PIECES = 400
"""No chunk has more pieces that are looked at."""

Spans = Sequence[tuple[int, int]]


def check_vector(vector: NDArray[np.float32], width: int) -> NDArray[np.float32]:
    """Return the vector with length 1, or refuse it."""
    row: NDArray[np.float32] = check_vectors(_array(vector)[None], 1, width)[0]
    return row


def check_vectors(vectors: NDArray[np.float32], count: int, width: int) -> NDArray[np.float32]:
    """Return the vectors with length 1 each, or refuse them."""
    import numpy as np

    wanted = (count, width)
    vectors = _array(vectors)
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


def check_embedded(
    put: Put, width: int
) -> tuple[NDArray[np.float32] | None, tuple[Pieces | None, ...] | None]:
    """Return the vectors of a unit's chunks and those of their pieces, or refuse them."""
    if put.vectors is None:
        if put.pieces is not None:
            raise InvalidVector(
                "There are vectors of pieces, but none of their chunks.", "Give both or neither."
            )
        return None, None
    if not put.chunks:
        return None, None
    vectors = check_vectors(put.vectors, len(put.chunks), width)
    return vectors, check_pieces(put.pieces, [chunk.text for chunk in put.chunks], width)


def check_pieces(
    pieces: Sequence[Pieces | None] | None, texts: Sequence[str], width: int
) -> tuple[Pieces | None, ...] | None:
    """Return the pieces of chunks with these texts, or refuse them; none of any chunk is None."""
    if pieces is None:
        return None
    if not isinstance(pieces, list | tuple) or len(pieces) != len(texts):
        raise InvalidVector(
            "The pieces are not a list with one entry for each chunk.",
            "Give None for a chunk without, or leave the pieces out.",
        )
    checked = [
        None if own is None else _checked(own, text, width)
        for own, text in zip(pieces, texts, strict=True)
    ]
    return None if all(own is None for own in checked) else tuple(checked)


def check_codes(codes: NDArray[np.int8], count: int, width: int) -> NDArray[np.int8]:
    """Return the vectors in bytes of so many pieces, or refuse them."""
    import numpy as np

    codes = _array(codes)
    if codes.shape != (count, width) or codes.dtype != np.int8:
        raise InvalidVector(
            f"Vectors of pieces of shape {codes.shape} and type {codes.dtype} do not fit; "
            f"this store takes {(count, width)} of int8.",
            "Embed with the embedder that the store was made with.",
        )
    return np.array(codes)


def check_spans(texts: Sequence[str], spans: Sequence[Spans]) -> None:
    """Refuse spans that are not of these texts, each from a start to an end within its text."""
    if len(spans) != len(texts):
        raise InvalidInput(
            f"There are spans of {len(spans)} texts, but {len(texts)} texts.",
            "Give each text a list of spans, if only an empty one.",
        )
    for text, own in zip(texts, spans, strict=True):
        if not all(0 <= start <= end <= len(text) for start, end in own):
            raise InvalidInput("A span goes beyond its text.", "Cut it where the text ends.")


def _array(values: object) -> NDArray[Any]:
    import numpy as np

    try:
        return np.asarray(values)
    except (ValueError, OverflowError):
        raise InvalidVector(
            "The rows of the vectors are not of one length.", "Give each as many numbers."
        ) from None


def _checked(pieces: Pieces, text: str, width: int) -> Pieces:
    import numpy as np

    if not isinstance(pieces, Pieces):
        raise InvalidVector(f"The pieces of a chunk are a {type(pieces).__name__}.", "Pass Pieces.")
    spans = _array(pieces.spans)
    count = len(spans) if spans.ndim else 0
    if spans.shape != (count, 2) or spans.dtype != np.int32 or count > MOST_PIECES:
        raise InvalidVector(
            f"Spans of shape {spans.shape} and type {spans.dtype} do not fit; "
            f"at most {MOST_PIECES} rows of start and end are taken, as int32.",
            "Leave the pieces out to store the chunk without them.",
        )
    start, end = spans.T
    if not ((start >= 0) & (start <= end) & (end <= len(text))).all():
        raise InvalidVector("A piece goes beyond the text of its chunk.", "Count from its start.")
    return Pieces(np.array(spans), check_codes(pieces.codes, count, width))
