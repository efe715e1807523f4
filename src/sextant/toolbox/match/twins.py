"""Tools that say almost the same: one of them is enough, so the others step back a little."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sextant.toolbox.match.score import Scores

_SAME = 0.9  # cosine of whole texts; .8 already sets tools back that are needed together
_STEP = 0.1
"""What a twin loses: less than a good match is better than a poor one (train of ultratool)."""
_MOST = 12
"""Tools that are looked at this way; behind them nobody is crowded out."""


def rank_apart(ranking: Sequence[int], scores: Scores, texts: NDArray[np.float32]) -> list[int]:
    """Return a ranking in which tools stand back behind better ones that say the same."""
    places = np.array(ranking, np.intp)
    worth = scores[places].astype(np.float64)
    twins = texts[places] @ texts[places].T >= _SAME
    lost = np.zeros(len(places), np.bool_)
    left = np.ones(len(places), np.bool_)
    found: list[int] = []
    for _ in range(min(_MOST, len(places))):
        best = int(np.where(left, worth - _STEP * lost, -np.inf).argmax())
        found.append(best)
        left[best] = False
        lost |= twins[best]
    return [int(places[one]) for one in (*found, *np.flatnonzero(left))]
