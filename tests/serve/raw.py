"""A client that says exactly what it is told to, as no decent client would."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Heard:
    """What a server answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def problem(self) -> Any:
        """The body, which has to be a problem with the id that the header names."""
        assert self.headers["content-type"] == "application/problem+json", self
        told = json.loads(self.body)
        assert told["status"] == self.status
        assert told["requestId"] == self.headers["x-request-id"]
        assert told["detail"]
        return told


@dataclass
class Raw:
    """One connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def say(self, *pieces: bytes) -> None:
        """Send bytes as they are."""
        for piece in pieces:
            self.writer.write(piece)
            await self.writer.drain()

    async def hear(self) -> Heard:
        """Read one answer whose length is said, or which comes in chunks."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").splitlines()
        headers = dict(_header(line) for line in lines if line)
        if headers.get("transfer-encoding") == "chunked":
            body = b"".join([piece async for piece in self.chunks()])
        else:
            body = await self.reader.readexactly(int(headers.get("content-length", "0")))
        return Heard(int(first.split()[1]), headers, body)

    async def drip(self, piece: bytes = b"x") -> Heard:
        """Send a piece again and again until an answer comes."""
        hearing = asyncio.create_task(self.hear())
        while not hearing.done():
            await self.say(piece)
            await asyncio.wait({hearing}, timeout=0.02)
        return await hearing

    async def head(self) -> str:
        """Read only how an answer begins."""
        return (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")

    async def chunks(self) -> AsyncIterator[bytes]:
        """Read the body piece by piece to its end."""
        while length := int(await self.reader.readuntil(b"\r\n"), 16):
            yield (await self.reader.readexactly(length + 2))[:-2]
        await self.reader.readexactly(2)

    async def is_closed(self) -> bool:
        """Wait for the server to close; whether it said nothing more before."""
        with suppress(ConnectionError):
            return await self.reader.read() == b""
        return True


def _header(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.lower(), value.strip()


def request(
    line: str = "GET /health HTTP/1.1",
    headers: Iterable[str] = (),
    body: bytes = b"",
    host: str = "localhost",
) -> bytes:
    """Return a request as it goes over the wire."""
    own = [f"Host: {host}"] if host else []
    return "\r\n".join((line, *own, *headers, "", "")).encode("latin-1") + body


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[Raw]:
    """Connect to a server on this machine, and leave it in the end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield Raw(reader, writer)
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
