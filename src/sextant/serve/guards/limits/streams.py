"""How many streams a caller keeps open, and how all of them are told to end."""

from __future__ import annotations

import asyncio
from collections import Counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sextant.errors import Overloaded, RateLimited
from sextant.serve.door import door_of
from sextant.serve.guards.limits.rates import whose
from sextant.serve.guards.turn import Turn, is_stream, turn_of
from sextant.serve.http.problem import problem_of

_RETRY_S = 5.0
TOO_MANY = problem_of(
    RateLimited("This caller has too many streams open.", "Close one of them first.", _RETRY_S)
)
CLOSING = problem_of(Overloaded("The server is closing.", "Try again in a moment.", _RETRY_S))


class Streams:
    """Counts streams while they last, of every door."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._counts: Counter[object] = Counter()
        self._open: dict[Turn, bool] = {}

    def __len__(self) -> int:
        return len(self._open)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; if its answer is a stream, count it."""
        turn, caller = turn_of(scope), whose(scope)
        is_listener, most = scope["method"] == "GET", door_of(scope).limits.streams

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start" and is_stream(message):
                if self._counts[caller] >= most:
                    await turn.refuse(TOO_MANY)
                else:
                    self._counts[caller] += 1
                    self._open[turn] = is_listener
            await send(message)

        try:
            await self._app(scope, receive, sent)
        finally:
            if turn in self._open:
                del self._open[turn]
                self._counts -= Counter({caller: 1})

    async def end(self, *, all_of_them: bool = False) -> None:
        """End the streams that are only listened to, or all of them."""
        ending = [turn for turn, is_listener in self._open.items() if is_listener or all_of_them]
        await asyncio.gather(*(turn.refuse(CLOSING) for turn in ending))
