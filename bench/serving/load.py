"""A lean HTTP/1.1 client: many connections that ask one after the other, and how long each took."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Call:
    """One request: where to, with what, for whom."""

    path: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]

    def encoded(self, host: str) -> bytes:
        """Return the request as it goes over the wire."""
        body = json.dumps(self.body).encode()
        head = {
            "Host": host,
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            **self.headers,
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        return f"POST {self.path} HTTP/1.1\r\n{lines}\r\n".encode() + body


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back."""

    status: int
    body: bytes


class Connection:
    """One connection that is kept."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def ask(self, request: bytes) -> Reply:
        """Send a request and read the whole reply."""
        self._writer.write(request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        status, length = int(head[9:12]), 0
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
            elif line.startswith(b"transfer-encoding:"):
                return Reply(status, await self._chunked())
        return Reply(status, await self._reader.readexactly(length))

    async def listen(self, path: str, host: str, headers: Mapping[str, str]) -> None:
        """Open a stream of events, and wait for its first."""
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept: text/event-stream\r\n{lines}\r\n"
        self._writer.write(head.encode())
        reply = await self._reader.readuntil(b"\r\n\r\n")
        assert b" 200 " in reply, reply
        await self._reader.readuntil(b"\n\n")

    async def _chunked(self) -> bytes:
        parts: list[bytes] = []
        while size := int(await self._reader.readline(), 16):
            parts.append(await self._reader.readexactly(size))
            await self._reader.readline()
        await self._reader.readline()
        return b"".join(parts)


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Connection]:
    """Open a connection to a server on this machine."""
    place = urlsplit(url)
    reader, writer = await asyncio.open_connection(place.hostname, place.port, limit=1 << 22)
    try:
        yield Connection(reader, writer)
    finally:
        writer.close()


@dataclass(frozen=True, slots=True)
class Load:
    """What a number of clients saw."""

    clients: int
    seconds: float
    times: Sequence[float]
    statuses: Mapping[int, int]

    @property
    def per_second(self) -> float:
        """Replies in a second."""
        return len(self.times) / self.seconds

    def quantile(self, share: float) -> float:
        """Return the time in ms that this share of requests stayed within."""
        ordered = sorted(self.times)
        return ordered[min(int(len(ordered) * share), len(ordered) - 1)] * 1000


async def load(url: str, calls: Sequence[Call], clients: int, count: int) -> Load:
    """Let clients ask a number of questions between them, each its next once it has its reply."""
    host = urlsplit(url).netloc
    waiting: Iterator[bytes] = islice(cycle([one.encoded(host) for one in calls]), count)
    times: list[float] = []
    statuses: dict[int, int] = {}

    async def client() -> None:
        async with connected(url) as connection:
            for request in waiting:
                begun = time.perf_counter()
                reply = await connection.ask(request)
                times.append(time.perf_counter() - begun)
                statuses[reply.status] = statuses.get(reply.status, 0) + 1

    begun = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(clients)))
    return Load(clients, time.perf_counter() - begun, times, statuses)
