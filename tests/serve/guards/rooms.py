"""Rooms for tests: what stands behind the guards, and does one simple thing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from sextant.serve.guards.limits.concurrency import step_aside


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Say back what came."""
    body = await Request(scope, receive).body()
    await PlainTextResponse(body)(scope, receive, send)


async def address(scope: Scope, receive: Receive, send: Send) -> None:
    """Say what was asked for: the path, and the query behind it."""
    query = scope["query_string"].decode("ascii")
    await PlainTextResponse(scope["path"] + (f"?{query}" if query else ""))(scope, receive, send)


class Failing:
    """Fails."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    async def __call__(self, *_: object) -> None:
        """Raise what it was made with."""
        raise self.error


class ByMethod:
    """Who reads gets one room, who writes another."""

    def __init__(self, reading: ASGIApp, writing: ASGIApp) -> None:
        self.reading, self.writing = reading, writing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass it on."""
        room = self.reading if scope["method"] == "GET" else self.writing
        await room(scope, receive, send)


class Working:
    """Works until it is told to finish, and knows how often work began and was stopped."""

    def __init__(self) -> None:
        self.begun, self.stopped = asyncio.Semaphore(0), asyncio.Semaphore(0)
        self.finish = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Work, then say so."""
        await Request(scope, receive).body()
        await self.work()
        await PlainTextResponse("done")(scope, receive, send)

    async def work(self) -> None:
        """Wait for the end."""
        self.begun.release()
        try:
            await self.finish.wait()
        except asyncio.CancelledError:
            self.stopped.release()
            raise


class Waiting(Working):
    """Has nothing to do until it is told to finish, and says so."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Wait, then say that it is over."""
        await Request(scope, receive).body()
        step_aside(scope)
        await self.work()
        await PlainTextResponse("done")(scope, receive, send)


class Streaming(Working):
    """Says something first, then works, then says that it is done."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream one event, and another one at the end."""
        await Request(scope, receive).body()
        response = StreamingResponse(self._events(), media_type="text/event-stream")
        await response(scope, receive, send)

    async def _events(self) -> AsyncIterator[str]:
        yield "event: step\ndata: {}\n\n"
        await self.work()
        yield "event: done\ndata: {}\n\n"


class Large(Working):
    """Says more than any buffer holds."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Say it, and note how that ended."""
        try:
            await StreamingResponse(self._pieces())(scope, receive, send)
        finally:
            self.stopped.release()

    async def _pieces(self) -> AsyncIterator[bytes]:
        for _ in range(1_000):
            yield b"x" * 1_000_000
