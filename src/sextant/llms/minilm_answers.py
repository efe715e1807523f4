"""Whether a piece of text is what a question asks for, from what MiniLM says of both.

Fitted together with the model's own change (bench/teach.py): that two texts are about the same is
not enough, since a question that nothing answers is about the same as much that does not answer it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING

import numkong
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

FILE = files(__package__) / "minilm_answers.npz"
UNKNOWN = -12.0
"""What a piece gets of which nothing is known: as little as any."""

STRETCH = np.float32(20)
"""Numbers in a vector of length 1 are small; the fit took them so many times larger."""


@dataclass(frozen=True, slots=True)
class _Fitted:
    turn: Floats
    scale: Floats
    inner: Floats
    inner_bias: Floats
    outer: Floats
    outer_bias: Floats


def log_odds(question: Floats, codes: NDArray[np.int8]) -> Floats:
    """Return for each piece how likely it is what a question with this vector asks for."""
    if not len(codes):
        return np.empty(0, np.float32)
    known, rows = _fitted(), codes.astype(np.float32)
    lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    pieces = rows / np.maximum(lengths, np.float32(1))
    turned = _products(known.turn, question[None])[:, 0]
    turned /= np.sqrt((turned * turned).sum())
    both = np.hstack([question * pieces, np.abs(question - pieces)]) * STRETCH
    bent = np.tanh(_products(both, known.inner) + known.inner_bias)
    odds = known.scale[0] * _products(pieces, turned[None])[:, 0] + known.scale[1]
    odds += (bent * known.outer).sum(axis=1) + known.outer_bias
    least = np.float32(UNKNOWN)
    return np.where(lengths[:, 0] > 0, np.maximum(odds, least), least)


def _products(rows: Floats, others: Floats) -> Floats:
    """Return every row's product with every other one.

    In this thread: numpy's would wake others, which then wait busily for more, through all the rest
    of an answer.
    """
    one, other = np.ascontiguousarray(rows), np.ascontiguousarray(others)
    return np.asarray(numkong.cdist(one, other, metric="dot"), np.float32)


@cache
def _fitted() -> _Fitted:
    stored = np.load(BytesIO(FILE.read_bytes()))
    known = {name: stored[name].astype(np.float32) for name in _Fitted.__slots__}
    return _Fitted(**known | {"inner": np.ascontiguousarray(known["inner"].T)})
