"""A stream of events to one client: it is kept alive, and who leaves ends the work behind it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass

from starlette.types import Message, Receive, Scope, Send

from sextant.serve.agui.events import run_error
from sextant.serve.http.problem import request_id_of, unmeant

_log = logging.getLogger(__name__)
_KEEP_ALIVE_S = 15.0  # proxies commonly close a connection that is silent for 30 s or 60 s


@dataclass(frozen=True, slots=True)
class StreamForm:
    """How a stream is sent: what it is, what keeps it alive, and how a failure is told in it."""

    content_type: bytes
    keep_alive: bytes
    failure: Callable[[Scope], bytes]

    @property
    def start(self) -> Message:
        """What goes before the first piece."""
        headers = [
            (b"content-type", self.content_type),
            (b"cache-control", b"no-cache"),
            (b"x-accel-buffering", b"no"),
        ]
        return {"type": "http.response.start", "status": 200, "headers": headers}


def _failure(scope: Scope) -> bytes:
    told = unmeant()
    return run_error(told.detail, told.hint, told.code, request_id_of(scope))


_EVENTS = StreamForm(b"text/event-stream", b": still there\n\n", _failure)


class EventStream:
    """An answer that is sent piece by piece. Closing the generator of pieces ends their source."""

    def __init__(self, pieces: AsyncGenerator[bytes, None], form: StreamForm = _EVENTS) -> None:
        self._pieces, self._form = pieces, form
        self._is_quiet = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send all pieces, unless the client leaves before."""
        sending = asyncio.create_task(self._send(scope, send))
        listening = asyncio.create_task(self._listen(receive, send))
        tasks = {sending, listening}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        if not sending.cancelled():
            sending.result()

    async def _send(self, scope: Scope, send: Send) -> None:
        await send(self._form.start)
        async with aclosing(self._pieces):
            try:
                async for piece in self._pieces:
                    self._is_quiet = False
                    await send(_body(piece))
            except Exception:
                _log.exception("The request %s failed.", request_id_of(scope))
                await send(_body(self._form.failure(scope)))
        await send(_body(b"", more=False))

    async def _listen(self, receive: Receive, send: Send) -> None:
        """Return once the client has left; say something now and then where nothing happens."""
        while True:
            self._is_quiet = True
            try:
                async with asyncio.timeout(_KEEP_ALIVE_S):
                    if (await receive())["type"] == "http.disconnect":
                        return
            except TimeoutError:
                if self._is_quiet:
                    await send(_body(self._form.keep_alive))


def _body(piece: bytes, *, more: bool = True) -> Message:
    return {"type": "http.response.body", "body": piece, "more_body": more}
