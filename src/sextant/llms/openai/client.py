"""The SDK's client as we want it: our timeouts, no retries, no redirects. Knows no prompt."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import httpx2
import openai

from sextant.prompting.network.transport import direct_transport
from sextant.prompting.network.trust import trusted
from sextant.settings import ModelSettings

_PLAIN = frozenset(
    ("accept", "accept-encoding", "connection", "content-length", "content-type", "host")
)


def to_openai(key: str, settings: ModelSettings) -> openai.AsyncOpenAI:
    """Return a client of OpenAI, or of where OPENAI_BASE_URL leads."""
    return openai.AsyncOpenAI(
        api_key=key, max_retries=0, timeout=timeout(settings), http_client=_http()
    )


def to_azure(
    endpoint: str,
    version: str,
    key: str,
    token: Callable[[], Awaitable[str]] | None,
    settings: ModelSettings,
) -> openai.AsyncAzureOpenAI:
    """Return a client of a resource on Azure, with a key or with what makes tokens."""
    return openai.AsyncAzureOpenAI(
        azure_endpoint=endpoint,
        api_version=version,
        api_key=key or None,
        azure_ad_token_provider=token,
        max_retries=0,
        timeout=timeout(settings),
        http_client=_http(),
    )


def to_stranger(address: str, key: str, settings: ModelSettings) -> openai.AsyncOpenAI:
    """Return a client of any server; nothing that is meant for OpenAI is sent there."""

    async def keep_plain(request: httpx2.Request) -> None:
        # The SDK adds organisation, project and custom headers from the environment by itself.
        for name in [name for name in request.headers if name.lower() not in _PLAIN]:
            del request.headers[name]
        request.headers["user-agent"] = "sextant"
        if key:
            request.headers["authorization"] = f"Bearer {key}"

    return openai.AsyncOpenAI(
        api_key=key or "none",
        admin_api_key="",
        base_url=address,
        max_retries=0,
        timeout=timeout(settings),
        http_client=_http(keep_plain),
    )


def timeout(settings: ModelSettings) -> httpx2.Timeout:
    """Return how long one connection and one silence may last; all else is bounded above."""
    return httpx2.Timeout(settings.read_seconds, connect=settings.connect_seconds)


def _http(
    hook: Callable[[httpx2.Request], Awaitable[None]] | None = None,
) -> httpx2.AsyncClient:
    # A redirect would carry the prompt to an address that nobody chose.
    hooks = {"request": [hook]} if hook else None
    return openai.DefaultAsyncHttpxClient(
        follow_redirects=False,
        event_hooks=hooks,
        transport=direct_transport(),
        verify=trusted(),
    )
