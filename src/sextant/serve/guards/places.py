"""How many requests are worked on at once, and how many may wait; past that it is 503."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sextant.errors import Overloaded
from sextant.serve.guards.turn import turn_of
from sextant.serve.paths import door_of
from sextant.serve.problem import problem_of

_RETRY_S = 1.0
FULL = problem_of(Overloaded("The server has too much to do.", "Try again in a moment.", _RETRY_S))


class Places:
    """Holds the places. One is taken when a request is here whole: a slow body takes none.

    What is only read gives its place back once it has begun: a stream, a file.
    """

    def __init__(self, app: ASGIApp, places: int, waiting: int) -> None:
        self._app = app
        self._free = asyncio.Semaphore(places)
        self._room = places + waiting

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on when there is a place for it."""
        if door_of(scope["path"]) == "own":
            await self._app(scope, receive, send)
            return
        turn = turn_of(scope)
        if not self._room:
            await turn.refuse(FULL)
            return
        place = _Place(self, self._free)
        try:
            if turn.has_body:
                receive = place.taken_by(receive)
            else:
                await place.take()
            if scope["method"] == "GET":
                send = place.left_by(send)
            await self._app(scope, receive, send)
        finally:
            place.leave()

    def hold(self, count: int) -> None:
        """Note that so many came, or went."""
        self._room -= count


class _Place:
    """One place, while a request is under way."""

    def __init__(self, places: Places, free: asyncio.Semaphore) -> None:
        self._places, self._free = places, free
        self._is_held = False
        self._is_here = True
        places.hold(1)

    async def take(self) -> None:
        await self._free.acquire()
        self._is_held = True

    def leave(self) -> None:
        if self._is_held:
            self._free.release()
        if self._is_here:
            self._places.hold(-1)
        self._is_held = self._is_here = False

    def taken_by(self, receive: Receive) -> Receive:
        async def received() -> Message:
            message = await receive()
            is_whole = message["type"] == "http.request" and not message.get("more_body")
            if is_whole and not self._is_held:
                await self.take()
            return message

        return received

    def left_by(self, send: Send) -> Send:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.leave()
            await send(message)

        return sent
