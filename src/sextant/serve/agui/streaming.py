"""A stream of events to one client: it is kept alive, and who leaves ends the work behind it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing

from starlette.types import Message, Receive, Scope, Send

from sextant.serve.agui.events import framed
from sextant.serve.agui.refusals import refusal_content
from sextant.serve.http.problem import request_id_of, unmeant

_log = logging.getLogger(__name__)
_KEEP_ALIVE_S = 15.0  # proxies commonly close a connection that is silent for 30 s or 60 s
_COMMENT = b": still there\n\n"
_START: Message = {
    "type": "http.response.start",
    "status": 200,
    "headers": [
        (b"content-type", b"text/event-stream"),
        (b"cache-control", b"no-cache"),
        (b"x-accel-buffering", b"no"),
    ],
}


class EventStream:
    """An answer that is sent piece by piece. Closing the generator of pieces ends their source."""

    def __init__(self, pieces: AsyncGenerator[bytes, None]) -> None:
        self._pieces = pieces
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
        await send(dict(_START))
        async with aclosing(self._pieces):
            try:
                async for piece in self._pieces:
                    self._is_quiet = False
                    await send(_body(piece))
            except Exception:
                _log.exception("The request %s failed.", request_id_of(scope))
                await send(_body(framed(**_failure(scope))))
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
                    await send(_body(_COMMENT))


def _body(piece: bytes, *, more: bool = True) -> Message:
    return {"type": "http.response.body", "body": piece, "more_body": more}


def _failure(scope: Scope) -> dict[str, str]:
    told = refusal_content(unmeant(), request_id_of(scope))
    return {"kind": told["type"], "message": told["message"], "code": told["code"]}
