"""Which tools are used together with one: the directed share P(b | a), and what it adds to scores.

Counted over sessions of several tools, since one that was used alone says nothing of company.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sextant.toolbox.match.score import Scores

MINIMUM_SUPPORT = 2
"""Sessions; tools learnt from pairs that were seen once made selections worse than no graph."""
_SOURCES = 10  # the best matches, whose company gains
_WEIGHT = 0.3  # fitted by cross-validation within the train split of ultratool


@dataclass(frozen=True, slots=True, eq=False)
class CoUse:
    """For each tool the tools that were used with it, and in which share of its sessions."""

    shares: Mapping[int, tuple[NDArray[np.int64], NDArray[np.float32]]] = field(
        default_factory=dict
    )
    sessions: Mapping[int, float] = field(default_factory=dict)
    """In how many sessions of several tools each was used, as they weigh."""

    def spread(self, scores: Scores) -> tuple[Scores, dict[int, int]]:
        """Add to tools what their company is worth; say of each tool that gained through whom."""
        if not self.shares or not len(scores):
            return scores, {}
        best = _best(scores, _SOURCES)
        floor = max(0.0, float(scores[best[-1]])) if len(best) == _SOURCES else 0.0
        gains, through = np.zeros_like(scores), dict[int, int]()
        for place in best.tolist():
            others, shares = self.shares.get(place, _NONE)
            gain = shares * max(float(scores[place]) - floor, 0.0)
            raised = gain > gains[others]
            gains[others[raised]] = gain[raised]
            through.update(dict.fromkeys(others[raised].tolist(), place))
        return scores + _WEIGHT * gains, through

    def share(self, source: int, target: int) -> float:
        """Return how likely one is used where the other is; 1 if nothing is known of either."""
        sessions = self.sessions.get(source, 0.0)
        others, shares = self.shares.get(source, _NONE)
        together = sessions * float(shares[others == target].sum())
        return (together + 1.0) / (sessions + 1.0)


_NONE = np.zeros(0, np.int64), np.zeros(0, np.float32)


def make_co_use(together: Mapping[tuple[int, int], float], sessions: Mapping[int, float]) -> CoUse:
    """Return shares of pairs, given the sessions of each pair and of each tool with others.

    Pairs without enough support are to be left out before.
    """
    found: dict[int, dict[int, float]] = {}
    for (source, target), times in together.items():
        if sessions.get(source, 0.0) > 0:
            found.setdefault(source, {})[target] = min(1.0, times / sessions[source])
    shares = {
        source: (np.array(list(own), np.int64), np.array(list(own.values()), np.float32))
        for source, own in found.items()
    }
    return CoUse(shares, sessions)


def _best(scores: Scores, count: int) -> NDArray[np.intp]:
    known = np.flatnonzero(np.isfinite(scores))
    order = np.argsort(-scores[known], kind="stable")[:count]
    return np.asarray(known[order])
