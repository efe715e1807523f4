"""How often a caller may come: a bucket for each that fills again over a minute, else 429."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable

from starlette.types import ASGIApp, Receive, Scope, Send

from sextant.errors import RateLimited
from sextant.serve.door import Door, door_of
from sextant.serve.house import Visit
from sextant.serve.http.problem import problem_of

_MINUTE_S = 60.0


class Rates:
    """Holds the buckets, as many as there is room for; the one that rested longest goes first."""

    def __init__(
        self,
        per_minute: int,
        most: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._full = float(per_minute)
        self._most = most
        self._clock = clock
        self._buckets: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()

    def take(self, whose: Hashable) -> float:
        """Take one out; return in how many seconds there is one again, 0 where there was one."""
        left, now = self._left(whose), self._clock()
        if left >= 1.0:
            self._put(whose, left - 1.0, now)
            return 0.0
        self._put(whose, left, now)
        return (1.0 - left) * _MINUTE_S / max(self._full, 1.0)

    def _left(self, whose: Hashable) -> float:
        if whose not in self._buckets:
            return self._full
        left, since = self._buckets[whose]
        return min(self._full, left + (self._clock() - since) * self._full / _MINUTE_S)

    def _put(self, whose: Hashable, left: float, now: float) -> None:
        self._buckets[whose] = (left, now)
        self._buckets.move_to_end(whose)
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)


class Rated:
    """Lets a caller pass as often as it may, at all doors together and at one that has a limit.

    What is open to everybody is not counted; 0 is no limit for all doors together.
    """

    def __init__(self, app: ASGIApp, per_minute: int) -> None:
        self._app = app
        self._rates = Rates(per_minute) if per_minute else None
        self._of_doors: dict[str, Rates] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or tell the caller to wait."""
        caller = whose(scope)
        wait = self._take(caller, door_of(scope)) if caller else 0.0
        if wait:
            error = RateLimited("This caller asks too often.", "Wait, then try again.", wait)
            await problem_of(error)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _take(self, caller: Hashable, door: Door) -> float:
        """Return how long a caller has to wait, for all doors or for this one."""
        most = door.limits.requests_per_minute
        if most and door.name not in self._of_doors:
            self._of_doors[door.name] = Rates(most)
        wait = self._of_doors[door.name].take(caller) if most else 0.0
        return wait or (self._rates.take(caller) if self._rates else 0.0)


def whose(scope: Scope) -> tuple[str, str] | None:
    """Return on whom a request counts, if its caller is known."""
    visit: Visit | None = scope["state"].get("visit")
    return (visit.caller.tenant, visit.caller.name) if visit else None
