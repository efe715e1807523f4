"""What words, meaning and mentions together make of a passage. Knows no passage and no store.

The constants were fitted on four public sets, each checked on those that it was not fitted on; all
of them lie on plateaus.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

_NEARNESS = 0.7
"""What the cosine counts for beside the keyword score, which is taken as a share of the best."""

_STEEPNESS = 7.0
_FLOOR = 3e-4
"""What a passage has that no walk reached."""

_PULL_STEEPNESS = 20.0
_LOWEST = math.log(_FLOOR)
_SPAN = _STEEPNESS + math.log1p(_FLOOR) - _LOWEST


def likeness(keyword: float | None, best: float, vector: float | None) -> float:
    """Return how like a passage is to the question, from its two legs; about 0 to 1."""
    words = (keyword or 0.0) / best if best > 0 else 0.0
    if vector is None:
        return words
    return _NEARNESS * vector + (1.0 - _NEARNESS) * words


def relevancy(alike: float, reached: float) -> float:
    """Return a passage's relevancy, in 0 to 1, from its likeness and what the walk brought it."""
    value = _STEEPNESS * alike + math.log(_FLOOR + reached) - _LOWEST
    return min(1.0, max(0.0, value / _SPAN))


def pulls(likenesses: Mapping[str, float]) -> dict[str, float]:
    """Return how much each passage draws of a walk; the one least like the question draws 1."""
    least = min(likenesses.values(), default=0.0)
    return {name: math.exp(_PULL_STEEPNESS * (alike - least)) for name, alike in likenesses.items()}
