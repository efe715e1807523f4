"""HTTP to what others run: answers of a limited size, a key if there is one. Knows no retriever."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from dataclasses import replace
from urllib.parse import urlsplit

import httpx2

from sextant.errors import ConfigError
from sextant.settings import RETRIEVER_KEY_VARIABLE, Settings
from sextant.talk.keys import key_if_any

LARGEST = 4 * 1024 * 1024


class Oversized(httpx2.StreamError):
    """An answer that is larger than anybody needs."""


def open_client(settings: Settings) -> httpx2.AsyncClient:
    """Open a client that follows no redirect by itself."""
    key = key_if_any([RETRIEVER_KEY_VARIABLE], replace(settings.model, key_file=""))
    times = settings.model
    return httpx2.AsyncClient(
        headers={
            "Accept-Encoding": "identity",
            **({"Authorization": f"Bearer {key}"} if key else {}),
        },
        timeout=httpx2.Timeout(times.read_seconds, connect=times.connect_seconds),
        event_hooks={"response": [_bound]},
    )


def checked_address(address: str, form: str) -> str:
    """Return an address that a client can go to, or say what one looks like."""
    try:
        parts = urlsplit(address)
        is_right = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_right = False
        parts = urlsplit("")
    if not is_right:
        raise ConfigError("The retriever's address cannot be read.", form)
    if parts.username is not None:
        raise ConfigError(
            "The retriever's address has a user in it.",
            f"A key belongs in {RETRIEVER_KEY_VARIABLE}.",
        )
    return address


def host_of(address: str) -> str:
    """Return what may be told of an address: a path or a query can hold a secret."""
    return urlsplit(address).netloc


async def _bound(response: httpx2.Response) -> None:
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise Oversized("It is compressed, which was not asked for.")
    assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101 - tells the type checker
    response.stream = _Bounded(response.stream)


class _Bounded(httpx2.AsyncByteStream):
    """A body that ends in an error once it is too long."""

    def __init__(self, body: httpx2.AsyncByteStream) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        taken = 0
        body: AsyncIterable[bytes] = self._body
        async for piece in body:
            taken += len(piece)
            if taken > LARGEST:
                raise Oversized(f"It is larger than {LARGEST:,} bytes.")
            yield piece

    async def aclose(self) -> None:
        await self._body.aclose()
