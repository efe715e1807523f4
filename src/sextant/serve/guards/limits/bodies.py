"""Bodies that are too large, or that come too slowly: 413 and 408. Knows no content."""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sextant.serve.door import door_of
from sextant.serve.guards.turn import GONE, Turn, turn_of
from sextant.serve.http.problem import Problem
from sextant.settings import ServeSettings

_STEP = 64 * 1_024
SLOW = Problem(
    408,
    "too_slow",
    "Too slow",
    "The body of the request did not come in time.",
    "Send it without pauses.",
    (("connection", "close"),),
)


class Bodies:
    """Counts what comes, and waits only so long for each piece of it, and for all of it."""

    def __init__(self, app: ASGIApp, settings: ServeSettings) -> None:
        self._app = app
        self._seconds = settings.body_seconds
        self._rate = settings.body_kilobytes_per_second * 1_024

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with a body that is watched."""
        turn = turn_of(scope)
        if not turn.has_body:
            await self._app(scope, receive, send)
            return
        limits = door_of(scope).limits
        is_upload = scope["method"] == "POST" and scope["path"] in limits.uploads
        most = limits.upload_bytes if is_upload else limits.body_bytes
        if int(Headers(scope=scope).get("content-length", "0")) > most:
            await turn.refuse(too_large(most))
            return
        watched = _Watched(turn, receive, most, self._seconds, self._rate)
        await self._app(scope, watched.receive, send)


class _Watched:
    """A body on its way in: every so many bytes have their time, and so has all of it."""

    def __init__(
        self, turn: Turn, receive: Receive, most: int, seconds: float, rate: float
    ) -> None:
        self._turn, self._receive = turn, receive
        self._most, self._seconds, self._rate = most, seconds, rate
        self._count, self._step = 0, _STEP
        self._since = asyncio.get_running_loop().time()
        self._until = self._since + seconds
        self._has_all = False

    async def receive(self) -> Message:
        if self._has_all:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError:
            await self._turn.refuse(SLOW)
            return GONE
        self._has_all = not message.get("more_body")
        self._count += len(message.get("body", b""))
        if self._count > self._most:
            await self._turn.refuse(too_large(self._most))
            return GONE
        if self._count >= self._step:
            self._step = self._count + _STEP
            in_all = self._since + self._count / self._rate
            self._until = min(asyncio.get_running_loop().time(), in_all) + self._seconds
        return message


def too_large(most: int) -> Problem:
    """Return what is said of a body over a limit."""
    return Problem(
        413,
        "too_large",
        "Too large",
        f"The body of the request is over {most:,} bytes.",
        "Send less at once.",
    )
