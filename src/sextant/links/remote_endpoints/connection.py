"""HTTP to one remote endpoint: asked in time, read within bounds, left alone if it fails.

An action or a run may have done something before it failed, so none is repeated. Knows no protocol.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx2

from sextant.errors import PeerError, PeerRefused, PeerUnreachable, SextantError
from sextant.links.bearer import Bearer
from sextant.links.client import Oversized, bounded_client, checked_address, host_of
from sextant.links.mcp_connection import shown_message
from sextant.links.remote_endpoints.line_splitter import LineSplitter
from sextant.links.tokens import tokens_for
from sextant.prompting.calls.breaker import COOL_DOWN_S, FAILURES, Breaker
from sextant.settings import RemoteEndpointSettings, Settings
from sextant.settings.credentials import remote_credential
from sextant.spans import Kind, outward, span
from sextant.types import RemoteCall

LARGEST = 16 * 1024 * 1024
"""Bytes of one answer, or of all lines of a run: sixteen times what is kept of a thread."""
_LONGEST_LINE = 2 * 1024 * 1024
"""Bytes of one line: a state of a megabyte, written as a text within JSON."""
NOT_OURS = "Whoever runs it has to mend that."
_FORM = "Write https://host/path."
_CHECK = "Check its address, and whether it runs."
_REFUSED = (httpx2.codes.UNAUTHORIZED, httpx2.codes.FORBIDDEN)


CheckType = Callable[[str, str], None]
"""Raises if nobody who was meant answers with this media type; it is told who answered."""


class RemoteConnection:
    """The connections to one endpoint, with the credential that is set for it."""

    def __init__(self, remote: RemoteEndpointSettings, settings: Settings) -> None:
        self._remote, self.settings = remote, settings
        self._address = checked_address(remote.url, _FORM, f"The address of {remote.name}")
        self._tokens = tokens_for(remote_credential(remote))
        auth = Bearer(self._tokens) if self._tokens else None
        self._client = bounded_client(settings.model, LARGEST, auth=auth)
        self._breaker = Breaker(remote.name, FAILURES, COOL_DOWN_S, _left_alone)

    @property
    def name(self) -> str:
        """How the endpoint is called here."""
        return self._remote.name

    async def ask(
        self, path: str, call: RemoteCall, body: Mapping[str, Any] | None, seconds: float
    ) -> Mapping[str, Any]:
        """Return the object that a method answers with; one that is sent no body is read by GET."""
        async with self._opened(path, call, body, seconds) as answer:
            await self._check(answer)
            found = _object_in(await answer.aread())
        if found is None:
            raise PeerError(f"{self.name} answered with something else than an object.", NOT_OURS)
        return found

    async def reach(self, call: RemoteCall, seconds: float) -> str:
        """Check that somebody answers at the address itself; return as what, if that went well."""
        async with self._opened("", call, None, seconds) as answer:
            status = answer.status_code
            if status in _REFUSED or status >= httpx2.codes.BAD_GATEWAY:
                raise self._refusal(status, b"")
            return _media_type(answer) if answer.is_success else ""

    async def stream_lines(
        self,
        path: str,
        call: RemoteCall,
        body: Mapping[str, Any],
        whose: str,
        check_type: CheckType | None = None,
    ) -> AsyncGenerator[list[bytes], None]:
        """Yield the lines of an answer as they come, several at once; half a line is an error.

        Only what is waited for here is timed: whoever reads the lines may take longer.
        """
        seconds = self.settings.chat.remote_seconds
        until = asyncio.get_running_loop().time() + seconds
        async with self._watched(whose, seconds), AsyncExitStack() as opened:
            async with asyncio.timeout_at(until):
                answer = await opened.enter_async_context(self._sent(path, call, body))
                await self._check(answer)
                if check_type:
                    check_type(_media_type(answer), whose)
            pieces, splitter = answer.aiter_bytes(), LineSplitter()
            while True:
                async with asyncio.timeout_at(until):
                    piece = await anext(pieces, b"")
                if not piece:
                    break
                lines = splitter.feed(piece)
                if max((splitter.begun_size, *map(len, lines))) > _LONGEST_LINE:
                    raise PeerError(
                        f"{whose} sent a line of more than {_LONGEST_LINE:,} bytes.", NOT_OURS
                    )
                if lines:
                    yield lines
            if splitter.is_within_line:
                raise PeerError(f"{whose} broke off in the middle of a line.", NOT_OURS)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.aclose()
        if self._tokens:
            await self._tokens.close()

    @asynccontextmanager
    async def _opened(
        self, path: str, call: RemoteCall, body: Mapping[str, Any] | None, seconds: float
    ) -> AsyncIterator[httpx2.Response]:
        async with (
            self._watched(self.name, seconds),
            asyncio.timeout(seconds),
            self._sent(path, call, body) as answer,
        ):
            yield answer

    @asynccontextmanager
    async def _sent(
        self, path: str, call: RemoteCall, body: Mapping[str, Any] | None
    ) -> AsyncIterator[httpx2.Response]:
        verb = "GET" if body is None else "POST"
        facts = {"http.request.method": verb, "server.address": host_of(self._address)}
        headers = {**call.headers, **outward()}
        address = f"{self._address.rstrip('/')}/{path}" if path else self._address
        with span(verb, facts, Kind.CLIENT) as own:
            async with self._client.stream(verb, address, json=body, headers=headers) as answer:
                own.note({"http.response.status_code": answer.status_code})
                yield answer

    async def _check(self, answer: httpx2.Response) -> None:
        if answer.status_code != httpx2.codes.OK:
            raise self._refusal(answer.status_code, await answer.aread())

    def _refusal(self, status: int, body: bytes) -> PeerError:
        if status in _REFUSED:
            variable = remote_credential(self._remote).token_variable
            return PeerRefused(
                f"{self.name} does not let us in ({status}).", f"Set {variable} to a token for it."
            )
        if status >= httpx2.codes.BAD_GATEWAY:
            return PeerUnreachable(f"{self.name} answered with status {status}.", _CHECK)
        answer = _object_in(body) or {}
        found = (answer.get(one) for one in ("message", "error", "detail"))
        reason = next((one for one in found if isinstance(one, str) and one), "")
        why = shown_message(reason) if reason else f"status {status}"
        return PeerError(f"{self.name} did not do it: {why}.", "Ask for something else.")

    @asynccontextmanager
    async def _watched(self, whose: str, seconds: float) -> AsyncIterator[None]:
        """Say of whatever goes wrong who it was, and count it; time is kept by whoever waits."""
        if self._client.is_closed:
            raise PeerError(f"The connection to {self.name} was closed.", "Open a new one.")
        self._breaker.enter(time.monotonic())
        try:
            yield
        except PeerUnreachable:
            self._breaker.failed(time.monotonic())
            raise
        except Oversized:
            raise PeerError(f"{whose} sent more than {LARGEST:,} bytes.", NOT_OURS) from None
        except (TimeoutError, httpx2.TimeoutException):
            self._breaker.failed(time.monotonic())
            raise PeerUnreachable(f"{whose} took longer than {seconds:g} s.", _CHECK) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError):
            self._breaker.failed(time.monotonic())
            raise PeerUnreachable(f"{whose} cannot be reached, or broke off.", _CHECK) from None
        except (SextantError, GeneratorExit):  # the latter where nobody reads on
            self._breaker.answered()
            raise
        else:
            self._breaker.answered()


def _media_type(answer: httpx2.Response) -> str:
    return answer.headers.get("content-type", "").partition(";")[0].strip().lower()


def _object_in(body: bytes) -> Mapping[str, Any] | None:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _left_alone(sentence: str, wait_s: float) -> SextantError:
    return PeerUnreachable(sentence, _CHECK, wait_s)
