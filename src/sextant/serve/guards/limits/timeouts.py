"""How long a request may take from when it is here whole; after that it is 503."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sextant.errors import Overloaded
from sextant.serve.door import door_of
from sextant.serve.guards.turn import is_file, is_stream, turn_of
from sextant.serve.http.problem import problem_of

LATE = problem_of(
    Overloaded("The request took too long and was stopped.", "Try again, or ask for less.", 5.0)
)


class Times:
    """Stops what takes too long. A stream that is only listened to may last, and a file."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and wait for it only so long."""
        turn, limit = turn_of(scope), asyncio.timeout(None)
        seconds = door_of(scope).limits.request_seconds
        try:
            async with limit:
                if turn.has_body:
                    receive = _starting(limit, seconds, receive)
                else:
                    _start(limit, seconds)
                await self._app(scope, receive, _lasting(limit, scope, send))
        except TimeoutError:
            if not limit.expired():
                raise
            await turn.refuse(LATE)


def _start(limit: asyncio.Timeout, seconds: float) -> None:
    limit.reschedule(asyncio.get_running_loop().time() + seconds)


def _starting(limit: asyncio.Timeout, seconds: float, receive: Receive) -> Receive:
    async def received() -> Message:
        message = await receive()
        if message["type"] == "http.request" and not message.get("more_body"):
            _start(limit, seconds)
        return message

    return received


def _lasting(limit: asyncio.Timeout, scope: Scope, send: Send) -> Send:
    async def sent(message: Message) -> None:
        is_start = message["type"] == "http.response.start"
        if is_start and scope["method"] == "GET" and (is_stream(message) or is_file(message)):
            limit.reschedule(None)
        await send(message)

    return sent
