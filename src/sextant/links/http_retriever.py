"""A retriever behind HTTP: JSON by POST, in the shape of the workflow. Knows no MCP."""

from __future__ import annotations

import asyncio
import json

import httpx2

from sextant.errors import BrokenFile, ReadError, TooMuch, Unreachable, UnsafeSource
from sextant.links.client import Oversized, checked_address, host_of, open_client
from sextant.links.shape import SHAPE_HINT, asked, retrieval_of
from sextant.settings import Settings
from sextant.spans import Kind, outward, span
from sextant.types import Retrieval, RetrievalRequest

_FORM = "Write https://host/path."
_MOVES = 3


class HttpRetriever:
    """Asks one address; a redirect is followed only to the same server."""

    def __init__(self, address: str, settings: Settings) -> None:
        self._address = checked_address(address, _FORM)
        self._host = host_of(address)
        self._whose = f"The retriever at {self._host}"
        self._seconds = settings.model.total_seconds
        self._client = open_client(settings)

    async def retrieve(self, ask: RetrievalRequest) -> Retrieval:
        """Return what the service finds for a query."""
        if self._client.is_closed:
            raise Unreachable("The retriever was closed.", "Open a new one.")
        told = {"http.request.method": "POST", "server.address": self._host}
        with span("POST", told, Kind.CLIENT) as call:
            answer = await self._answer(asked(ask))
            call.note({"http.response.status_code": answer.status_code})
            return retrieval_of(self._read(answer), self._whose)

    async def close(self) -> None:
        """Let go of the connection."""
        await self._client.aclose()

    async def _answer(self, body: dict[str, str]) -> httpx2.Response:
        try:
            async with asyncio.timeout(self._seconds):
                return await self._posted(body)
        except Oversized as error:
            raise TooMuch(
                f"{self._whose} sent too much. {error}", "Let it answer with less."
            ) from None
        except (TimeoutError, httpx2.TimeoutException):
            raise self._unreachable("did not answer in time") from None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError):
            raise self._unreachable("cannot be reached, or broke off") from None

    async def _posted(self, body: dict[str, str]) -> httpx2.Response:
        address = httpx2.URL(self._address)
        for _ in range(_MOVES + 1):
            answer = await self._client.post(address, json=body, headers=outward())
            if answer.next_request is None or answer.status_code not in (307, 308):
                return answer
            target = answer.next_request.url
            if _origin(target) != _origin(address) or target.userinfo:
                raise UnsafeSource(
                    f"{self._whose} sends on to another server.", "Name that one if it is right."
                )
            address = target
        raise self._unreachable("sends on and on")

    def _read(self, answer: httpx2.Response) -> object:
        if answer.status_code in (401, 403):
            raise self._unreachable(f"does not let us in ({answer.status_code})")
        if answer.status_code != httpx2.codes.OK:
            raise self._unreachable(f"answered with status {answer.status_code}")
        try:
            return json.loads(answer.content)
        except (ValueError, RecursionError):
            raise BrokenFile(f"{self._whose} answered with no JSON.", SHAPE_HINT) from None

    def _unreachable(self, what: str) -> ReadError:
        return Unreachable(f"{self._whose} {what}.", "Check its address, and whether it runs.")


def open_retriever(rest: str, settings: Settings) -> HttpRetriever:
    """Open the retriever at http:REST."""
    return HttpRetriever(f"http:{rest}", settings)


def open_secure_retriever(rest: str, settings: Settings) -> HttpRetriever:
    """Open the retriever at https:REST."""
    return HttpRetriever(f"https:{rest}", settings)


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
