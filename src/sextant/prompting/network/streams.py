"""Connections for an HTTP client that cost little for each packet. Knows no HTTP.

A reply of a model comes in hundreds of packets, and what the client brings along spends as long on
each as all else that is done with it: a scope for the time-out, and two calls of the system to turn
reading on and off. Here one protocol keeps what came, and a time-out is a plain timer.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Any

import httpcore2
from httpcore2 import AsyncNetworkBackend, AsyncNetworkStream

from sextant.prompting.network.packet_protocol import PacketProtocol

_NEXT_ADDRESS_S = 0.25
"""After so long the next address of a host is tried beside the first, as RFC 8305 has it."""

_SMALL = 4 * 1024
"""Bytes for which a call of the system would be most of the work."""


class PacketStream(AsyncNetworkStream):
    """One connection."""

    def __init__(self, protocol: PacketProtocol) -> None:
        self._protocol = protocol
        self._held: list[bytes] = []

    async def read(
        self,
        max_bytes: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's signature
    ) -> bytes:
        """Return what came, or nothing at the end of all."""
        self._send()
        try:
            return await self._protocol.read(max_bytes, timeout)
        except TimeoutError as error:
            raise httpcore2.ReadTimeout from error

    async def write(
        self,
        buffer: bytes,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's signature
    ) -> None:
        """Send something, and wait until there is room for more.

        What is small goes along with what comes next, such as the head of a request with its body.
        """
        protocol = self._protocol
        if not self._held:
            asyncio.get_running_loop().call_soon(self._send)
        self._held.append(buffer)
        if len(buffer) < _SMALL:
            return
        self._send()
        try:
            await protocol.drain(timeout)
        except TimeoutError as error:
            raise httpcore2.WriteTimeout from error
        if protocol.transport.is_closing():
            raise httpcore2.WriteError("The connection is closed.")

    async def aclose(self) -> None:
        """Close it at once; whoever closes it has read what there is, or wants no more."""
        await self._protocol.close()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's signature
    ) -> AsyncNetworkStream:
        """Go on over TLS."""
        protocol, loop = self._protocol, asyncio.get_running_loop()
        try:
            with _as_connect_errors():
                async with asyncio.timeout(timeout):
                    secured = await loop.start_tls(
                        protocol.transport, protocol, ssl_context, server_hostname=server_hostname
                    )
        except BaseException:
            await self.aclose()
            raise
        if secured is None:
            raise httpcore2.ConnectError("The connection was closed while TLS began.")
        protocol.transport = secured
        return self

    def _send(self) -> None:
        if self._held:
            held, self._held = self._held, []
            self._protocol.transport.write(b"".join(held))

    def get_extra_info(self, info: str) -> Any:
        """Return what is known of the connection, by the names of the HTTP client."""
        if info == "is_readable":
            return self._protocol.is_readable
        names = {"client_addr": "sockname", "server_addr": "peername"}
        return self._protocol.transport.get_extra_info(names.get(info, info))


class PacketNetwork(AsyncNetworkBackend):
    """Opens such connections."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> AsyncNetworkStream:
        """Connect to a host, by whichever of its addresses answers first."""
        loop, delay = asyncio.get_running_loop(), _delay_for(host)
        local = (local_address, 0) if local_address else None
        with _as_connect_errors():
            async with asyncio.timeout(timeout):
                transport, protocol = await loop.create_connection(
                    PacketProtocol, host, port, local_addr=local, happy_eyeballs_delay=delay
                )
        own = transport.get_extra_info("socket")
        for option in socket_options or ():
            own.setsockopt(*option)
        return PacketStream(protocol)

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
