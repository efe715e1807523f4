"""A small answer over HTTP, of a bounded size and in a bounded time. Knows nobody who sends one."""

from __future__ import annotations

import asyncio
import ipaddress
import json
from typing import Any
from urllib.parse import urlsplit

import httpx2

from sextant.errors import ConfigError, Unreachable

_FINE = 200
_HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity"}


def checked_url(url: str, what: str) -> str:
    """Return an address that nobody can listen to or speak for: over TLS, or on this machine."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port, parts = "", 0, urlsplit("")
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))
    if not host or port == 0 or not is_safe or parts.username is not None:
        raise ConfigError(
            f"{what} is not an address that can be trusted.",
            "Write https://host/path, without a user.",
        )
    return url


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


async def fetched(
    client: httpx2.AsyncClient,
    url: str,
    *,
    most: int,
    seconds: float,
    form: dict[str, str] | None = None,
) -> tuple[int, Any]:
    """Return the status and the JSON that an address answers with; a form is posted to it.

    A redirect is not followed. What is no JSON, too long or too slow is Unreachable.
    """
    whose = urlsplit(url).netloc
    try:
        async with asyncio.timeout(seconds):
            return await _taken(client, url, most, form)
    except (TimeoutError, httpx2.TimeoutException):
        raise Unreachable(f"{whose} does not answer in time.", "Try again later.") from None
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError):
        raise Unreachable(
            f"{whose} cannot be reached, or broke off.", "Check the address, or try again later."
        ) from None
    except (ValueError, RecursionError):
        raise Unreachable(
            f"{whose} answers with what nobody can read.", "Check the address."
        ) from None


async def _taken(
    client: httpx2.AsyncClient, url: str, most: int, form: dict[str, str] | None
) -> tuple[int, Any]:
    body = bytearray()
    method = "GET" if form is None else "POST"
    async with client.stream(method, url, data=form, headers=_HEADERS) as answer:
        async for piece in answer.aiter_raw():
            body += piece
            if len(body) > most:
                raise ValueError("too long")
    # A refusal may come without a body; its status says enough.
    return answer.status_code, json.loads(body) if body or answer.status_code == _FINE else None
