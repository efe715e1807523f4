"""How long to wait before another try. Knows neither who is called nor the clock."""

from __future__ import annotations

from collections.abc import Callable
from math import ldexp
from random import random

from sextant.errors import ModelUnreachable, PeerUnreachable

FIRST_S = 0.5
LONGEST_S = 8.0


def pause_before(
    retry: int,
    error: ModelUnreachable | PeerUnreachable,
    chance: Callable[[], float] = random,
) -> float:
    """Return the seconds to wait before this retry, the first of which is 0.

    Anything up to a bound that doubles, so that callers who failed together do not come back
    together; where they were told when to come back, that long and a little more.
    """
    if error.retry_after > 0:
        return error.retry_after + chance() * FIRST_S
    return chance() * min(LONGEST_S, ldexp(FIRST_S, retry))
