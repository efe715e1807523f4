"""What was counted of uses, as it weighs today: older sessions less, one's own more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sextant.toolbox.relate.co_use import MINIMUM_SUPPORT
from sextant.types import USE_PERIOD, Habits

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNDATED = 0.5
"""What a session without a date weighs: as one of a half-life ago."""
_OWN = 3.0
"""What a session of whoever asks weighs beside one of a colleague; chosen, not measured."""


@dataclass(frozen=True, slots=True)
class Pair:
    """How two tools are used: sessions and direct steps, weighed; and how often at all."""

    together: float = 0.0
    followed: float = 0.0
    support: int = 0
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class WeighedHabits:
    """Pairs of tools, and for each tool its sessions with others; all as they weigh today."""

    pairs: Mapping[tuple[str, str], Pair]
    shared: Mapping[str, float]

    def supported(self) -> dict[tuple[str, str], Pair]:
        """Return the pairs that were seen often enough to be believed."""
        return {key: pair for key, pair in self.pairs.items() if pair.support >= MINIMUM_SUPPORT}


def weigh_habits(
    habits: Habits, now: datetime, half_life: timedelta, user: str = ""
) -> WeighedHabits:
    """Return habits with each session weighed by its age, and those of a user more."""
    sums: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0] * 5)
    shared: dict[str, float] = defaultdict(float)
    weights = _Weights(now, half_life, user)
    for one in habits.tools:
        shared[one.tool_id] += one.shared * weights.of(one.period, one.user)
    for pair in habits.pairs:
        weight, own = weights.of(pair.period, pair.user), sums[pair.source, pair.target]
        own[0] += pair.together * weight
        own[1] += pair.followed * weight
        own[2] += pair.together
        own[3] += pair.timed
        own[4] += pair.milliseconds
    pairs = {
        key: Pair(own[0], own[1], int(own[2]), own[4] / own[3] / 1000 if own[3] else None)
        for key, own in sums.items()
    }
    return WeighedHabits(pairs, dict(shared))


class _Weights:
    """What a session weighs, by its period and its user."""

    def __init__(self, now: datetime, half_life: timedelta, user: str) -> None:
        self._latest = (now - _EPOCH) // USE_PERIOD
        self._periods = half_life / USE_PERIOD
        self._user = user

    def of(self, period: int, user: str) -> float:
        own = _OWN if self._user and user == self._user else 1.0
        if period == 0:
            return own * _UNDATED
        age = max(0, self._latest - period)
        return own * float(0.5 ** (age / self._periods))
