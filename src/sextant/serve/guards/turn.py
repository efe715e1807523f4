"""One request and its answer: whoever ends it before its time stops the work behind it.

Knows the protocol of ASGI, and no reason to end anything.
"""

from __future__ import annotations

import asyncio
import re
from typing import cast

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sextant.serve.http.problem import Problem

GONE: Message = {"type": "http.disconnect"}
_STREAM, _PARTS, _LINES = "text/event-stream", "multipart/mixed", "application/x-ndjson"
_BOUNDARY = re.compile(r'boundary="?([^";]+)')
_FILE = "application/x-tar"


class Turn:
    """Stands between a server and an app.

    Once it is cut short, the app hears that the client is gone, and what it still says is dropped.
    """

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        self.has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
        self.is_started = self.is_stream = self.is_complete = self.is_cut = False
        self._boundary, self._has_lines = b"", False
        self._scope, self._receive, self._send = scope, receive, send
        self._first: Message | None = None
        self._has_all = False
        self._gone = asyncio.Event()
        self._watcher: asyncio.Task[None] | None = None
        self._worker: asyncio.Task[object] | None = None

    async def play(self, app: ASGIApp, *, is_stopped: bool = True) -> None:
        """Let an app answer; where it is stopped, a client that leaves takes its work along."""
        scope = self._scope
        self._worker = asyncio.current_task() if is_stopped else None
        if not self.has_body:
            self._first = await self._take()
        try:
            await app(scope, self.receive, self.send)
        except asyncio.CancelledError:
            if not (self.is_cut and self._worker) or self._worker.uncancel():
                raise
        except Exception:
            if not self.is_cut:
                raise
        finally:
            self._worker = None
            if self._watcher:
                self._watcher.cancel()

    async def receive(self) -> Message:
        """Give the app what the client sent; when that is all, wait until the client is gone."""
        if self._first:
            message, self._first = self._first, None
            return message
        if not self._has_all and not self.is_cut:
            return await self._take()
        await self._gone.wait()
        return GONE

    async def send(self, message: Message) -> None:
        """Take what the app says to whoever still listens."""
        if self.is_cut:
            return
        if message["type"] == "http.response.start":
            self.is_started = True
            self.is_stream = is_stream(message)
            self._boundary = _boundary_of(message)
            self._has_lines = _kind_of(message).startswith(_LINES)
        elif not message.get("more_body"):
            self.is_complete = True
        await self._send(message)

    async def refuse(self, problem: Problem) -> None:
        """Answer in the app's place, as far as that can still be done, and stop its work."""
        if self.is_cut or self.is_complete:
            return
        was_started = self.is_started
        self._cut()
        if not was_started:
            await problem(self._scope, self._receive, self._send)
        elif self.is_stream:
            told = bytes(problem.encoded(self._scope).body)
            body = told + b"\n" if self._has_lines else _last(told, self._boundary)
            await self._send({"type": "http.response.body", "body": body, "more_body": False})

    def leave(self) -> None:
        """Note that nobody waits for the answer any more, and stop the work."""
        if not (self.is_cut or self.is_complete):
            self._cut()

    def _cut(self) -> None:
        self.is_cut = True
        self._gone.set()
        if self._worker and self._worker is not asyncio.current_task():
            self._worker.cancel()

    async def _take(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self.leave()
        elif not message.get("more_body"):
            self._has_all = True
            self._watcher = asyncio.create_task(self._watch())
        return message

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._gone.set()
        self.leave()


def is_stream(message: Message) -> bool:
    """Whether an answer that begins is one of events, or of parts that come one by one."""
    return _kind_of(message).startswith((_STREAM, _PARTS, _LINES))


def _kind_of(message: Message) -> str:
    return Headers(raw=message["headers"]).get("content-type", "")


def _boundary_of(message: Message) -> bytes:
    """Return what stands between the parts of an answer, if it has parts."""
    kind = _kind_of(message)
    found = _BOUNDARY.search(kind) if kind.startswith(_PARTS) else None
    return found[1].encode("latin-1") if found else b""


def _last(told: bytes, boundary: bytes) -> bytes:
    """Return an error as the last event of a stream, or as its last part."""
    if boundary:
        head = b"\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: %d\r\n\r\n"
        return head % len(told) + told + b"\r\n--%b--\r\n" % boundary
    lines = b"".join(b"data: %s\n" % line for line in told.splitlines())
    return b"event: error\n%s\n" % lines


def is_file(message: Message) -> bool:
    """Whether an answer that begins is a file, which may take as long as the client's line does."""
    return _kind_of(message) == _FILE


def turn_of(scope: Scope) -> Turn:
    """Return the turn that a request is in."""
    return cast(Turn, scope["state"]["turn"])
