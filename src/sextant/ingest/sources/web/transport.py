"""Connections that go to a checked address and nowhere else. Knows no redirect and no page.

The name is resolved and checked here, in the same step that connects, so that no second answer of
the name server can lead elsewhere; the host's name still goes into the request and into TLS.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Sequence

import httpcore2
import httpx2

from sextant.errors import UnsafeSource
from sextant.ingest.sources.web.addresses import Resolve, vetted

NETWORK_TROUBLE = (
    httpx2.HTTPError,
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.TimeoutException,
    httpcore2.UnsupportedProtocol,
)


class CheckedTransport(httpx2.AsyncBaseTransport):
    """One connection at a time, each to an address that was checked."""

    def __init__(self, resolve: Resolve, private: bool, tls: ssl.SSLContext | None = None) -> None:
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=tls, max_connections=1, network_backend=_CheckedNetwork(resolve, private)
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request; the answer's body is a stream."""
        answer = await self._pool.handle_async_request(
            httpcore2.Request(
                method=request.method,
                url=httpcore2.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                extensions=request.extensions,
            )
        )
        assert isinstance(answer.stream, AsyncIterable)  # noqa: S101 - tells the type checker
        return httpx2.Response(
            answer.status,
            headers=answer.headers,
            stream=_Body(answer),
            extensions=answer.extensions,
        )

    async def aclose(self) -> None:
        """Close what is open."""
        await self._pool.aclose()


class _Body(httpx2.AsyncByteStream):
    def __init__(self, answer: httpcore2.Response) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._answer.aiter_stream():
            yield piece

    async def aclose(self) -> None:
        await self._answer.aclose()


class _CheckedNetwork(httpcore2.AsyncNetworkBackend):
    def __init__(self, resolve: Resolve, private: bool) -> None:
        self._resolve = resolve
        self._private = private
        self._network = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's signature
        local_address: str | None = None,  # noqa: ARG002
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,  # noqa: ARG002
    ) -> httpcore2.AsyncNetworkStream:
        addresses = await vetted(host, port, self._resolve, self._private)
        return await self._first_that_answers(addresses, port, timeout)

    async def connect_unix_socket(
        self,
        path: str,  # noqa: ARG002
        timeout: float | None = None,  # noqa: ARG002, ASYNC109
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,  # noqa: ARG002
    ) -> httpcore2.AsyncNetworkStream:
        raise UnsafeSource(
            "A site is not behind a socket of this machine.", "Name an http or https address."
        )

    async def _first_that_answers(
        self, addresses: Sequence[str], port: int, seconds: float | None
    ) -> httpcore2.AsyncNetworkStream:
        for address in addresses[:-1]:
            try:
                return await self._network.connect_tcp(address, port, timeout=seconds)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return await self._network.connect_tcp(addresses[-1], port, timeout=seconds)

    async def sleep(self, seconds: float) -> None:
        await self._network.sleep(seconds)
