"""One order out of two legs: reciprocal ranks, which need no common scale."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import TypeVar

Place = TypeVar("Place", bound=Hashable)

DEPTH = 50
"""How deep each leg is asked when two are to be fused."""

_FLATTEN = 60


def leg_depth(k: int, legs: int) -> int:
    """Return how many places a leg must bring for the best k of all legs."""
    return k if legs < 2 else max(k, DEPTH)


def fuse(
    legs: Sequence[Sequence[Place]], blind_spots: Collection[Place] = ()
) -> dict[Place, float]:
    """Return each place's fused score; every leg lists its places best first.

    In a blind spot of the other leg a place counts as if it stood there as high as in its own: it
    is neither pushed out nor preferred for what nobody knows of it.
    """
    scores: dict[Place, float] = {}
    for leg in legs:
        for rank, place in enumerate(leg):
            share = 1.0 / (_FLATTEN + 1 + rank)
            known = 2 * share if place in blind_spots else share
            scores[place] = scores.get(place, 0.0) + known
    return scores
