"""An HTTP/1.1 server on a free port of this machine, in a thread of its own. Knows no protocol."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from threading import Event, Thread
from typing import Any, Self

EVENTS = {"content-type": "text/event-stream"}
JSON = {"content-type": "application/json"}
RIGHT_KEY = "the-right-key-0123456789"
_PAGE = b"<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>"


class Fault(StrEnum):
    """What a server can do wrong after it took a request; a status is a fault too."""

    NONE = ""
    PAGE = "a page of HTML under a status of 200"
    BAD_GATEWAY = "a page of HTML under a status of 502"
    NO_REPLY = "the socket closed without a word"
    CUT = "half a stream, then the socket closed"
    SHORT = "half a stream that ends in order"
    JUNK = "half a stream, then what is no JSON"
    ERROR = "half a stream, then an error"
    HANG = "half a stream, then nothing until the client goes away"


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    """A status, headers, and the pieces of a body."""

    status: int
    headers: Mapping[str, str]
    pieces: Sequence[bytes]

    @classmethod
    def of(cls, value: Any, status: int = 200, **headers: str) -> Answer:
        more = {name.replace("_", "-"): text for name, text in headers.items()}
        return cls(status, {**JSON, **more}, [json.dumps(value).encode()])


@dataclass
class Server:
    """Answers as a protocol says; its tests set the fault that comes instead."""

    fault: Fault | int = Fault.NONE
    error_headers: Mapping[str, str] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    left: Event = field(default_factory=Event)
    """Set once a client went away from a stream that hangs."""

    def answer(self, request: Request) -> Answer:
        raise NotImplementedError

    def error(self, status: int) -> Answer:
        raise NotImplementedError

    def error_piece(self) -> bytes:
        """A piece of a stream that says that something went wrong."""
        raise NotImplementedError

    def junk_piece(self) -> bytes:
        return b"data: {no JSON\n\n"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> Self:
        self._ready = Event()
        self._thread = Thread(target=lambda: asyncio.run(self._serve()))
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        talks = set[asyncio.Task[None]]()

        async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            talk = asyncio.create_task(self._talk(reader, writer))
            talks.add(talk)
            await asyncio.wait([talk])
            talks.discard(talk)

        server = await asyncio.start_server(take, "127.0.0.1", 0)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for talk in talks:
            talk.cancel()
        await asyncio.gather(*talks, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _read(reader)) is not None:
                self.requests.append(request)
                if not await self._reply(request, reader, writer):
                    return
        except ConnectionError:
            # Whoever leaves with a piece unread, or yet to come, resets the connection.
            self.left.set()
        finally:
            writer.close()

    async def _reply(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer, and say whether the connection goes on."""
        fault, answer = self.fault, self.answer(request)
        if fault == Fault.NO_REPLY:
            return False
        if fault in (Fault.PAGE, Fault.BAD_GATEWAY):
            status = 200 if fault == Fault.PAGE else 502
            answer = Answer(status, {"content-type": "text/html"}, [_PAGE])
        elif isinstance(fault, int):
            plain = self.error(fault)
            answer = Answer(plain.status, {**plain.headers, **self.error_headers}, plain.pieces)
        is_half = fault in (Fault.CUT, Fault.SHORT, Fault.JUNK, Fault.ERROR, Fault.HANG)
        is_half = is_half and answer.status == 200
        pieces = list(answer.pieces)
        for_now = pieces[: len(pieces) // 2] if is_half else pieces
        for_now += [self.junk_piece()] if fault == Fault.JUNK else []
        for_now += [self.error_piece()] if fault == Fault.ERROR else []
        writer.write(_head(answer))
        for piece in for_now:
            writer.write(_chunk(piece))
            await writer.drain()
        if fault == Fault.CUT:
            return False
        if fault == Fault.HANG:
            await reader.read()
            self.left.set()
            return False
        writer.write(_chunk(b""))
        await writer.drain()
        return True


async def _read(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.strip().split("\r\n")
    method, path, _ = first.split(" ")
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines)
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method, path, headers, body)


def _head(answer: Answer) -> bytes:
    headers = {**answer.headers, "transfer-encoding": "chunked"}
    lines = [f"HTTP/1.1 {answer.status} X", *(f"{one}: {two}" for one, two in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _chunk(piece: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(piece), piece)
