"""A connection to the Gemini API by Google's SDK, with our time limits and in our errors.

The address comes from ``GOOGLE_GEMINI_BASE_URL``, as everywhere with this SDK.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import httpx2
from google import genai
from google.genai import errors, types

from sextant.errors import ModelError, ModelUnreachable
from sextant.llms.statuses import broken, error_for, unreachable
from sextant.prompting.network.trust import trusted
from sextant.prompting.secrets.keys import key_for

if TYPE_CHECKING:
    from sextant.settings import ModelSettings

VARIABLES = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
NAME = "Gemini"

_DELAY = re.compile(r"([0-9]+(?:\.[0-9]+)?)s")
_opened: ContextVar[list[httpx2.Response] | None] = ContextVar("opened", default=None)


class Connection:
    """The SDK's client over an HTTP client of our own, which knows what is open."""

    def __init__(self, settings: ModelSettings) -> None:
        self._timeout = httpx2.Timeout(
            settings.read_seconds, connect=settings.connect_seconds
        ).as_dict()
        context = trusted()
        self._http = httpx2.AsyncClient(
            verify=context, event_hooks={"request": [self._bound], "response": [_remember]}
        )
        # The SDK tries once unless it is given options for retries.
        self._client = genai.Client(
            vertexai=False,
            api_key=key_for(VARIABLES, settings),
            http_options=types.HttpOptions(
                httpx_async_client=self._http,
                client_args={"verify": context},
                async_client_args={"ssl": context},
            ),
        )

    @property
    def is_closed(self) -> bool:
        """Whether close was called."""
        return self._http.is_closed

    @property
    def models(self) -> Any:
        """What the SDK can do with models."""
        return self._client.aio.models

    async def close(self) -> None:
        """Let go of the connections."""
        await self._http.aclose()
        self._client.close()

    async def _bound(self, request: httpx2.Request) -> None:
        # The SDK knows one time for everything, and takes none for no limit.
        request.extensions = {**request.extensions, "timeout": self._timeout}


async def reading(chunks: AsyncIterator[Any]) -> AsyncGenerator[Any, None]:
    """Read on, and close the socket at whatever end.

    The SDK stacks generators and closes only the uppermost of them, so that the response would
    stay open until the others are collected.
    """
    opened: list[httpx2.Response] = []
    try:
        async with aclosing(chunks):  # type: ignore[type-var]
            while True:
                token = _opened.set(opened)
                try:
                    chunk = await anext(chunks)
                except StopAsyncIteration:
                    return
                finally:
                    _opened.reset(token)
                yield chunk
    finally:
        for response in opened:
            await response.aclose()


async def _remember(response: httpx2.Response) -> None:
    opened = _opened.get()
    if opened is not None:
        opened.append(response)


@contextmanager
def translated() -> Iterator[None]:
    """Raise the SDK's errors as ours."""
    try:
        yield
    except ModelError:
        raise
    except Exception as error:
        raise _ours(error) from None


def _ours(error: Exception) -> ModelError:
    match error:
        case errors.APIError():
            return _api_error(error)
        case httpx2.HTTPError() | httpx2.InvalidURL():
            return unreachable(error, NAME)
    # Whatever else the SDK raises: what came was no reply in this protocol.
    return broken(NAME)


def _api_error(error: errors.APIError) -> ModelError:
    headers = dict(getattr(error.response, "headers", None) or {})
    # A wrong key is a bad request to this API.
    status = 401 if "API_KEY_INVALID" in str(error.details) else error.code or 0
    ours = error_for(status, NAME, error.message or "", headers, " or ".join(VARIABLES))
    if isinstance(ours, ModelUnreachable) and not ours.retry_after:
        ours.retry_after = _delay(error.details)
    return ours


def _delay(details: Any) -> float:
    """Return the seconds that the details of an error say to wait."""
    body = details.get("error", details) if isinstance(details, dict) else {}
    listed = body.get("details") if isinstance(body, dict) else None
    for one in listed if isinstance(listed, list) else ():
        said = _DELAY.fullmatch(str(one.get("retryDelay", ""))) if isinstance(one, dict) else None
        if said:
            return float(said[1])
    return 0.0
