"""How many requests are worked on at once, and how many may wait: of each caller, and of all.

Past what a caller may have it is 429, past what all may have 503.
"""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sextant.errors import Overloaded, RateLimited
from sextant.serve.door import door_of
from sextant.serve.guards.limits.rates import whose
from sextant.serve.guards.turn import GONE, Turn, turn_of
from sextant.serve.http.problem import problem_of
from sextant.settings import ServeSettings

_RETRY_S = 1.0
_PARTS = 4
"""Where callers share, one has one place of so many."""
_NO_END = 2**31
FULL = problem_of(Overloaded("The server has too much to do.", "Try again in a moment.", _RETRY_S))
TOO_MANY = problem_of(
    RateLimited(
        "This caller has too many requests under way.", "Wait until one has ended.", _RETRY_S
    )
)


class Places:
    """Holds the places. One is taken when a request is here whole: a slow body takes none.

    What is only read gives its place back once it has begun: a stream, a file. So does what only
    waits; of that a caller may have as much as it may have streams.
    """

    def __init__(self, app: ASGIApp, settings: ServeSettings) -> None:
        self._app = app
        places, waiting, self._aside = settings.concurrency, settings.waiting, settings.streams
        shared = (max(1, places // _PARTS), waiting // _PARTS)
        self._share = shared if settings.is_shared else (places, _NO_END)
        self._all = _Room(places, waiting)
        self._own: dict[object, _Own] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on when there is a place for it."""
        if not door_of(scope).limits.takes_place:
            await self._app(scope, receive, send)
            return
        caller = whose(scope)
        own = self._own.setdefault(caller, _Own(*self._share, self._aside))
        place = _Place(turn_of(scope), own, self._all)
        scope["state"]["place"] = place
        try:
            await self._seated(place, scope, receive, send)
        finally:
            place.go()
            if not own.under_way:
                self._own.pop(caller, None)

    async def _seated(self, place: _Place, scope: Scope, receive: Receive, send: Send) -> None:
        if not place.come():
            await place.turn.refuse(TOO_MANY)
        elif not (place.turn.has_body or await place.take()):
            await place.turn.refuse(FULL)
        else:
            receive = place.taken_by(receive) if place.turn.has_body else receive
            send = place.left_by(send) if scope["method"] == "GET" else send
            await self._app(scope, receive, send)


def step_aside(scope: Scope) -> None:
    """Let others have the place of a request that only waits from here on."""
    place: _Place | None = scope["state"].get("place")
    if place:
        place.step_aside()


class _Room:
    """So many places, and room for so many to wait for one."""

    def __init__(self, places: int, waiting: int) -> None:
        self.free = asyncio.Semaphore(places)
        self.left = places + waiting


class _Own(_Room):
    """What one caller has: it counts from when a request begins to come."""

    def __init__(self, places: int, waiting: int, aside: int) -> None:
        super().__init__(places, waiting)
        self.aside = aside
        self.under_way = 0


class _Place:
    """One place, while a request is under way."""

    def __init__(self, turn: Turn, own: _Own, shared: _Room) -> None:
        self.turn, self._own, self._shared = turn, own, shared
        self._holds: list[_Room] = []
        self._is_here = self._is_whole = self._is_aside = False
        own.under_way += 1

    def come(self) -> bool:
        """Say whether the caller may have one more request."""
        self._is_here = self._own.left > 0
        self._own.left -= self._is_here
        return self._is_here

    async def take(self) -> bool:
        """Wait for a place: among one's own first, so that nobody waits behind a crowd."""
        self._is_whole = self._shared.left > 0
        self._shared.left -= self._is_whole
        for room in (self._own, self._shared) if self._is_whole else ():
            await room.free.acquire()
            self._holds.append(room)
        return self._is_whole

    def leave(self) -> None:
        """Give the place back."""
        for room in self._holds:
            room.free.release()
        self._holds.clear()
        self._shared.left += self._is_whole
        self._own.left += self._is_here
        self._is_whole = self._is_here = False

    def step_aside(self) -> None:
        """Give it back while there is nothing to do but to wait."""
        if self._own.aside > 0 and not self._is_aside:
            self._is_aside = True
            self._own.aside -= 1
            self.leave()

    def go(self) -> None:
        """Note the end of the request."""
        self.leave()
        self._own.aside += self._is_aside
        self._own.under_way -= 1

    def taken_by(self, receive: Receive) -> Receive:
        async def received() -> Message:
            message = await receive()
            is_whole = message["type"] == "http.request" and not message.get("more_body")
            if is_whole and not self._is_whole and not await self.take():
                await self.turn.refuse(FULL)
                return GONE
            return message

        return received

    def left_by(self, send: Send) -> Send:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.leave()
            await send(message)

        return sent
