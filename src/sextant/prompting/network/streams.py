"""Connections for an HTTP client that cost little for each packet. Knows no HTTP.

A reply of a model comes in hundreds of packets, and what the client brings along spends as long on
each as all else that is done with it: a scope for the time-out, and two calls of the system to turn
reading on and off. Here one protocol keeps what came, and a time-out is a plain timer.
"""

from __future__ import annotations

import asyncio
import select
import ssl
from collections import deque
from collections.abc import Iterable
from contextlib import contextmanager
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

import httpcore2
from httpcore2 import AsyncNetworkBackend, AsyncNetworkStream

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_KEPT = 256 * 1024
"""Bytes that may wait to be read; asyncio takes as many from a socket at a time."""
_NEXT_ADDRESS_S = 0.25
"""After so long the next address of a host is tried beside the first, as RFC 8305 has it."""

_SMALL = 4 * 1024
"""Bytes for which a call of the system would be most of the work."""

SocketOption = (
    tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]
)


class _Incoming(asyncio.Protocol):
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
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - tells the type checker
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self._kept.append(data)
        self._size += len(data)
        if self._size > _MOST_KEPT and not self._is_paused:
            self._is_paused = True
            self.transport.pause_reading()
        _wake(self._reading)

    def eof_received(self) -> bool:
        self._end()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self._fault, self._is_lost = exc, True
        self._end()
        _wake(self._closing)

    def pause_writing(self) -> None:
        self._is_full = True

    def resume_writing(self) -> None:
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


class PacketStream(AsyncNetworkStream):
    """One connection."""

    def __init__(self, incoming: _Incoming) -> None:
        self._incoming = incoming
        self._held: list[bytes] = []

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        """Return what came, or nothing at the end of all."""
        self._send()
        try:
            return await self._incoming.read(max_bytes, timeout)
        except TimeoutError as error:
            raise httpcore2.ReadTimeout from error

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Send something, and wait until there is room for more.

        What is small goes along with what comes next, such as the head of a request with its body.
        """
        incoming = self._incoming
        if not self._held:
            asyncio.get_running_loop().call_soon(self._send)
        self._held.append(buffer)
        if len(buffer) < _SMALL:
            return
        self._send()
        try:
            await incoming.drain(timeout)
        except TimeoutError as error:
            raise httpcore2.WriteTimeout from error
        if incoming.transport.is_closing():
            raise httpcore2.WriteError("The connection is closed.")

    async def aclose(self) -> None:
        """Close it at once; whoever closes it has read what there is, or wants no more."""
        await self._incoming.close()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> AsyncNetworkStream:
        """Go on over TLS."""
        incoming, loop = self._incoming, asyncio.get_running_loop()
        try:
            with _as_connect_errors():
                async with asyncio.timeout(timeout):
                    secured = await loop.start_tls(
                        incoming.transport, incoming, ssl_context, server_hostname=server_hostname
                    )
        except BaseException:
            await self.aclose()
            raise
        if secured is None:
            raise httpcore2.ConnectError("The connection was closed while TLS began.")
        incoming.transport = secured
        return self

    def _send(self) -> None:
        if self._held:
            held, self._held = self._held, []
            self._incoming.transport.write(b"".join(held))

    def get_extra_info(self, info: str) -> Any:
        """Return what is known of the connection, by the names of the HTTP client."""
        if info == "is_readable":
            return self._incoming.is_readable
        names = {"client_addr": "sockname", "server_addr": "peername"}
        return self._incoming.transport.get_extra_info(names.get(info, info))


class PacketNetwork(AsyncNetworkBackend):
    """Opens such connections."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109
        local_address: str | None = None,
        socket_options: Iterable[SocketOption] | None = None,
    ) -> AsyncNetworkStream:
        """Connect to a host, by whichever of its addresses answers first."""
        loop, local = asyncio.get_running_loop(), (local_address, 0) if local_address else None
        with _as_connect_errors():
            async with asyncio.timeout(timeout):
                transport, incoming = await loop.create_connection(
                    _Incoming, host, port, local_addr=local, happy_eyeballs_delay=_delay_for(host)
                )
        own = transport.get_extra_info("socket")
        for option in socket_options or ():
            own.setsockopt(*option)
        return PacketStream(incoming)

    async def sleep(self, seconds: float) -> None:
        """Wait before the next try."""
        await asyncio.sleep(seconds)


def _delay_for(host: str) -> float | None:
    """Return when the next address is tried; what is an address itself has no next one.

    Trying several leaves a socket to the garbage collector where a caller gives up just as one of
    them is connected.
    """
    try:
        ip_address(host)
    except ValueError:
        return _NEXT_ADDRESS_S
    return None


@contextmanager
def _as_connect_errors() -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise httpcore2.ConnectTimeout from error
    except OSError as error:
        raise httpcore2.ConnectError(str(error)) from error


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
