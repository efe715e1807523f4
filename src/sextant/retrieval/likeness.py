"""What words, meaning and mentions together make of a passage. Knows no passage and no store."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from sextant.retrieval.tuning import SHIPPED, Tuning


def likeness(
    keyword: float | None, best: float, vector: float | None, tuning: Tuning = SHIPPED
) -> float:
    """Return how like a passage is to the question, from its two legs; about 0 to 1."""
    words = (keyword or 0.0) / best if best > 0 else 0.0
    if vector is None:
        return words
    return tuning.nearness * vector + (1.0 - tuning.nearness) * words


def expected_nearness(known: Sequence[tuple[float, float]], words: float) -> float | None:
    """Return the cosine to expect of a passage of which only the share of words is known.

    Known are the shares of words and cosines of others: a straight line through them tells, within
    what they have. Who is not embedded yet is as near as its words let expect, so it is neither
    pushed out by those that are, nor preferred to them.
    """
    if not known:
        return None
    mean_words, mean = (math.fsum(column) / len(known) for column in zip(*known, strict=True))
    spread = math.fsum((own - mean_words) ** 2 for own, _ in known)
    common = math.fsum((own - mean_words) * (near - mean) for own, near in known)
    slope = max(0.0, common / spread) if spread > 0 else 0.0
    cosines = [near for _, near in known]
    return min(max(cosines), max(min(cosines), mean + slope * (words - mean_words)))


def relevancy(alike: float, reached: float, tuning: Tuning = SHIPPED) -> float:
    """Return a passage's relevancy, in 0 to 1, from its likeness and what the walk brought it."""
    value = tuning.steepness * alike + math.log(tuning.floor + reached) - tuning.lowest
    return min(1.0, max(0.0, value / tuning.span))


def pulls(likenesses: Mapping[str, float], tuning: Tuning = SHIPPED) -> dict[str, float]:
    """Return how much each passage draws of a walk; the one least like the question draws 1."""
    least, steepness = min(likenesses.values(), default=0.0), tuning.pull_steepness
    return {name: math.exp(steepness * (alike - least)) for name, alike in likenesses.items()}
