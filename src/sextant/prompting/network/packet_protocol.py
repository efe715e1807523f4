"""What came over one connection, kept until it is read. Knows no request.

Waiting is a future and a plain timer, which cost less for each packet than a scope.
"""

from __future__ import annotations

import asyncio
import select
from collections import deque

import httpcore2

_MOST_KEPT = 256 * 1024
"""Bytes that may wait to be read; asyncio takes as many from a socket at a time."""


class PacketProtocol(asyncio.Protocol):
    """What came over one connection and was not read yet, and whether more can be written."""

    def __init__(self) -> None:
        self._kept: deque[bytes] = deque()
        self._size = 0
        self._reading: asyncio.Future[None] | None = None
        self._writing: asyncio.Future[None] | None = None
        self._is_full = False
        self._is_paused = False
        self._fault: Exception | None = None
        self._closing: asyncio.Future[None] | None = None
        self._is_lost = False
        self.is_over = False
        self.transport: asyncio.Transport

    @property
    def is_readable(self) -> bool:
        """Whether something came that nobody waits for, or the end, even if just now."""
        return self.is_over or bool(self._kept) or _is_readable(self.transport)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Learn over what is written."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - tells the type checker
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Keep a packet, and take no more where much is kept."""
        self._kept.append(data)
        self._size += len(data)
        if self._size > _MOST_KEPT and not self._is_paused:
            self._is_paused = True
            self.transport.pause_reading()
        _wake(self._reading)

    def eof_received(self) -> bool:
        """End, and have the connection closed."""
        self._end()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """End, and learn whether something went wrong."""
        self._fault, self._is_lost = exc, True
        self._end()
        _wake(self._closing)

    def pause_writing(self) -> None:
        """Have whoever writes wait."""
        self._is_full = True

    def resume_writing(self) -> None:
        """Let whoever writes go on."""
        self._is_full = False
        _wake(self._writing)

    async def read(self, most: int, seconds: float | None) -> bytes:
        """Return what came, or nothing at its end; what broke off is no end."""
        while not self._kept and not self.is_over:
            self._reading = asyncio.get_running_loop().create_future()
            await _wait(self._reading, seconds)
        if self._kept:
            return self._take(most)
        if self._fault:
            raise httpcore2.ReadError(str(self._fault)) from self._fault
        return b""

    async def drain(self, seconds: float | None) -> None:
        """Wait until more can be written."""
        while self._is_full and not self.is_over:
            self._writing = asyncio.get_running_loop().create_future()
            await _wait(self._writing, seconds)

    async def close(self) -> None:
        """Close the connection at once, and wait until its socket is."""
        if self._is_lost:
            return
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_future()
            self.transport.abort()
        await asyncio.shield(self._closing)

    def _take(self, most: int) -> bytes:
        data = self._kept.popleft()
        if len(data) > most:
            self._kept.appendleft(data[most:])
            data = data[:most]
        self._size -= len(data)
        if self._is_paused and self._size <= _MOST_KEPT // 2 and not self.is_over:
            self._is_paused = False
            self.transport.resume_reading()
        return data

    def _end(self) -> None:
        self.is_over = True
        _wake(self._reading)
        _wake(self._writing)


def _is_readable(transport: asyncio.Transport) -> bool:
    own = transport.get_extra_info("socket")
    if not hasattr(select, "poll"):
        return bool(select.select([own], [], [], 0)[0])
    poll = select.poll()
    poll.register(own, select.POLLIN)
    return bool(poll.poll(0))


async def _wait(future: asyncio.Future[None], seconds: float | None) -> None:
    """Wait for a future, at most so long."""
    if seconds is None:
        await future
        return
    timer = future.get_loop().call_later(seconds, _expire, future)
    try:
        await future
    finally:
        timer.cancel()


def _expire(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_exception(TimeoutError())


def _wake(future: asyncio.Future[None] | None) -> None:
    if future is not None and not future.done():
        future.set_result(None)
