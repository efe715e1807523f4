"""HTTP to what others run: answers of a limited size, a key if there is one. Knows no retriever."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from urllib.parse import urlsplit

import httpx2

from sextant.errors import ConfigError
from sextant.prompting.network.transport import direct_transport
from sextant.prompting.network.trust import trusted
from sextant.prompting.secrets.keys import key_if_any
from sextant.settings import RETRIEVER_KEY_VARIABLE, ModelSettings, Settings

LARGEST = 4 * 1024 * 1024


class Oversized(httpx2.StreamError):
    """An answer that is larger than anybody needs."""


Heard = Callable[[httpx2.Response], Awaitable[None]]


def open_client(settings: Settings) -> httpx2.AsyncClient:
    """Open a client for a retriever, with the key for it."""
    key = key_if_any([RETRIEVER_KEY_VARIABLE], replace(settings.model, key_file=""))
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return bounded_client(settings.model, LARGEST, headers)


def bounded_client(
    times: ModelSettings,
    largest: int,
    headers: Mapping[str, str] | None = None,
    auth: httpx2.Auth | None = None,
    heard: Heard | None = None,
) -> httpx2.AsyncClient:
    """Open a client that follows no redirect by itself and reads no answer larger than this."""

    async def bound(response: httpx2.Response) -> None:
        _bound(response, largest)

    return httpx2.AsyncClient(
        headers={"Accept-Encoding": "identity", **(headers or {})},
        auth=auth,
        timeout=httpx2.Timeout(times.read_seconds, connect=times.connect_seconds),
        event_hooks={"response": [bound, heard] if heard else [bound]},
        transport=direct_transport(),
        verify=trusted(),
    )


def checked_address(
    address: str,
    form: str,
    what: str = "The retriever's address",
    key_hint: str = "A key belongs into the environment, not into an address.",
) -> str:
    """Return an address that a client can go to, or say what one looks like."""
    try:
        parts = urlsplit(address)
        is_right = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_right = False
        parts = urlsplit("")
    if not is_right:
        raise ConfigError(f"{what} cannot be read.", form)
    if parts.username is not None:
        raise ConfigError(f"{what} has a user in it.", key_hint)
    return address


def is_address(server: str) -> bool:
    """Whether a server is at an address; otherwise a command starts it."""
    return server.startswith(("http://", "https://"))


def host_of(address: str) -> str:
    """Return what may be told of an address: a path or a query can hold a secret."""
    return urlsplit(address).netloc


def _bound(response: httpx2.Response, largest: int) -> None:
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise Oversized("It is compressed, which was not asked for.")
    assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101 - tells the type checker
    response.stream = _Bounded(response.stream, largest)


class _Bounded(httpx2.AsyncByteStream):
    """A body that ends in an error once it is too long."""

    def __init__(self, body: httpx2.AsyncByteStream, largest: int) -> None:
        self._body = body
        self._largest = largest

    async def __aiter__(self) -> AsyncIterator[bytes]:
        taken = 0
        body: AsyncIterable[bytes] = self._body
        async for piece in body:
            taken += len(piece)
            if taken > self._largest:
                raise Oversized(f"It is larger than {self._largest:,} bytes.")
            yield piece

    async def aclose(self) -> None:
        await self._body.aclose()
