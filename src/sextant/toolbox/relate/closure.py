"""A tool with all that it cannot do without, the surest first. Cycles end where they began."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from math import log

from sextant.toolbox.relate.links import Links
from sextant.types import LeftOutBecause

Barred = Callable[[int], LeftOutBecause | None]
"""Why a tool cannot be taken, or None."""


@dataclass(frozen=True, slots=True)
class Closure:
    """A tool, then those that it needs, nearest first, with who needs each and who is stood in for.

    Where one that is needed cannot be taken, it is named with the reason, and none of them can be.
    """

    places: tuple[int, ...] = ()
    needed_by: dict[int, int] = field(default_factory=dict)
    instead_of: dict[int, int] = field(default_factory=dict)
    missing: int | None = None
    because: LeftOutBecause | None = None


Share = Callable[[int, int], float]
"""How likely a tool that is needed is used in fact, by who needs it."""
_STEP = 0.9
"""What a need of a need is worth; any value from .5 to .9 gave the same on toollinkos' train."""


def close_over(place: int, links: Links, barred: Barred, share: Share) -> Closure:
    """Return a tool, or who stands in for it, with everything that it requires over all steps."""
    found, needed_by, instead_of = dict[int, None](), dict[int, int](), dict[int, int]()
    turn = count()
    waiting = [(0.0, next(turn), place, place)]
    while waiting:
        way, _, wanted, by = heapq.heappop(waiting)
        own = stand_in(wanted, links, barred)
        if own is None or own in links.hidden:
            because = LeftOutBecause.FORBIDDEN if own is not None else barred(wanted)
            return Closure(tuple(found), needed_by, instead_of, wanted, because)
        if own != wanted:
            instead_of.setdefault(own, wanted)
        if own in found:
            continue
        found[own] = None
        if by != wanted:
            needed_by[own] = by
        for need in links.needs.get(own, ()):
            step = way - log(_STEP * share(own, need))
            heapq.heappush(waiting, (step, next(turn), need, own))
    return Closure(tuple(found), needed_by, instead_of)


def stand_in(place: int, links: Links, barred: Barred) -> int | None:
    """Return who is taken for a tool: itself, its successor, or an alternative; None is nobody."""
    latest = _successor(place, links, barred)
    why = barred(latest)
    if why is None:
        return latest
    if why is not LeftOutBecause.UNAVAILABLE:
        return None
    others = links.alternatives.get(latest, ())
    return next((other for other in others if barred(other) is None), None)


def _successor(place: int, links: Links, barred: Barred) -> int:
    """Return the latest tool that replaces this one and can be taken, or the tool itself."""
    seen, latest = {place}, place
    while True:
        following = links.successors.get(latest, ())
        found = next((own for own in following if own not in seen and barred(own) is None), None)
        if found is None:
            return latest
        seen.add(found)
        latest = found
