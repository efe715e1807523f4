"""Two pieces of different documents that answer a question together, by a name that joins them.

``Who leads the team that runs Heron?`` has its answer in two places, and the team that joins them
is not in the question.
"""

from __future__ import annotations

from collections.abc import Sequence

from sextant.ask.evidence.asked import Asked, Read
from sextant.ask.evidence.marking.fit import new_names
from sextant.text.names import normal_name

_FIRST, _SECOND = 6, 24
"""How many of the likeliest pieces are looked at for either side."""

_SURE = 5.0
"""A piece of such odds answers the question by itself."""

_POSSIBLE, _LESS = -4.0, 6.0
"""What the odds of both sides must reach, and by how much they may be less than the best."""

_LONGEST, _SHORTEST = 60, 3


def joined(wanted: Asked, reads: Sequence[Read]) -> list[Read]:
    """Return the likeliest two pieces that a name joins; nothing where one piece is enough."""
    likely = sorted(
        (
            (odds, at)
            for at, one in enumerate(reads)
            if (odds := wanted.odds_of(one.unit)) is not None
        ),
        key=lambda own: (-own[0], own[1]),
    )[:_SECOND]
    if not likely or likely[0][0] >= _SURE:
        return []
    least = max(_POSSIBLE, likely[0][0] - _LESS)
    known = [(odds, reads[at]) for odds, at in likely if odds >= least]
    bridges = [_bridges(wanted, one) for _, one in known]
    best: tuple[float, list[Read]] = (2 * _POSSIBLE, [])
    for at, (odds, one) in enumerate(known[:_FIRST]):
        for further in range(at + 1, len(known)):
            other_odds, other = known[further]
            if odds + other_odds <= best[0]:
                break
            if _is_joined(one, other, bridges[at], bridges[further]):
                best = (odds + other_odds, [one, other])
    return best[1]


def _bridges(wanted: Asked, one: Read) -> set[str]:
    """Return the names that lead from a piece to others: those in it, and what it is about."""
    names = {normal_name(name) for name in new_names(wanted, one.unit.text)}
    if one.title not in wanted.spelt:
        names.add(one.title.strip())
    return {f" {name} " for name in names if _SHORTEST <= len(name) <= _LONGEST}


def _is_joined(one: Read, other: Read, own: set[str], others: set[str]) -> bool:
    if one.unit.passage.document.id == other.unit.passage.document.id:
        return False
    return any(name in other.name + other.title for name in own) or any(
        name in one.name + one.title for name in others
    )
