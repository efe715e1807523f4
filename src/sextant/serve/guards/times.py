"""How long a request may take from when it is here whole; after that it is 503."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sextant.errors import Overloaded
from sextant.serve.front.problem import problem_of
from sextant.serve.guards.turn import is_file, is_stream, turn_of

LATE = problem_of(
    Overloaded("The request took too long and was stopped.", "Try again, or ask for less.", 5.0)
)


class Times:
    """Stops what takes too long. A stream that is only listened to may last, and a file."""

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and wait for it only so long."""
        turn, limit = turn_of(scope), asyncio.timeout(None)
        try:
            async with limit:
                if turn.has_body:
                    receive = self._starting(limit, receive)
                else:
                    self._start(limit)
                await self._app(scope, receive, _lasting(limit, scope, send))
        except TimeoutError:
            if not limit.expired():
                raise
            await turn.refuse(LATE)

    def _start(self, limit: asyncio.Timeout) -> None:
        limit.reschedule(asyncio.get_running_loop().time() + self._seconds)

    def _starting(self, limit: asyncio.Timeout, receive: Receive) -> Receive:
        async def received() -> Message:
            message = await receive()
            if message["type"] == "http.request" and not message.get("more_body"):
                self._start(limit)
            return message

        return received


def _lasting(limit: asyncio.Timeout, scope: Scope, send: Send) -> Send:
    async def sent(message: Message) -> None:
        is_start = message["type"] == "http.response.start"
        if is_start and scope["method"] == "GET" and (is_stream(message) or is_file(message)):
            limit.reschedule(None)
        await send(message)

    return sent
