"""Calls of another server over MCP: in time, tried again, and left alone while it fails.

What the other server refuses comes back as the error that it is. Knows no tool.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeVar

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import (
    CONNECTION_CLOSED,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    CallToolResult,
)

from sextant.errors import (
    Denied,
    InvalidInput,
    PeerError,
    PeerRefused,
    PeerUnreachable,
    SextantError,
    TooLarge,
)
from sextant.links.bearer import Bearer
from sextant.links.client import bounded_client
from sextant.links.mcp_connection import Connection, listed_tools, object_in_text, telling
from sextant.links.tokens import Tokens
from sextant.prompting.calls.backoff import pause_before
from sextant.prompting.calls.breaker import COOL_DOWN_S, FAILURES, Breaker
from sextant.settings import Settings

T = TypeVar("T")
LARGEST = 64 * 1024 * 1024
"""Bytes that a server of ours may answer with: some thousands of passages."""

_LISTED_S = 300.0
"""Tools are read anew so often, as a server may be replaced by a newer one."""

_REFUSED = (httpx2.codes.UNAUTHORIZED, httpx2.codes.FORBIDDEN)
_BUSY = (httpx2.codes.TOO_MANY_REQUESTS, httpx2.codes.SERVICE_UNAVAILABLE)
_RUNS = "Try again later; whoever runs this can see whether that server answers."
_TOKEN = "Whoever runs this must give it a token with that server's role and OnBehalf."  # noqa: S105


class McpCaller:
    """Calls tools of one server, many at once."""

    def __init__(
        self,
        name: str,
        address: str,
        settings: Settings,
        tokens: Tokens | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._name = name
        self._address = address
        self._settings = settings
        self._tokens = tokens
        self._clock = clock
        self._listed: Mapping[str, Mapping[str, Any]] = {}
        self._listed_until = float("-inf")
        self._connection = Connection(self._connected)
        self._breaker = Breaker(name, FAILURES, COOL_DOWN_S, _left_alone)

    async def call(
        self, tool: str, arguments: Mapping[str, Any], seconds: float = 0.0
    ) -> Mapping[str, Any]:
        """Return what a tool gives, within these seconds or the usual ones for all tries."""

        async def tried(seconds: float) -> CallToolResult:
            with telling(tool):
                return await self._connection.call(tool, arguments, seconds)

        return self._read(await self._answered(tool, tried, seconds))

    async def tools(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the tools that the server lists, each with what it takes; read anew in a while."""
        if self._clock() >= self._listed_until:
            self._listed = await self._answered(
                "tools/list", lambda seconds: self._connection.ask(listed_tools, seconds)
            )
            self._listed_until = self._clock() + _LISTED_S
        return self._listed

    async def _answered(
        self, what: str, tried: Callable[[float], Awaitable[T]], seconds: float = 0.0
    ) -> T:
        """Return what the server answers, tried again as often as is worth it."""
        until = self._clock() + (seconds or self._settings.remote.call_seconds)
        retry = 0
        while True:
            self._breaker.enter(self._clock())
            try:
                given = await self._tried(what, tried, until - self._clock())
            except PeerUnreachable as error:
                self._breaker.failed(self._clock())
                pause_s = pause_before(retry, error)
                if not self._is_worth_it(retry) or pause_s >= until - self._clock():
                    raise
            except (PeerRefused, TooLarge):
                self._breaker.answered()
                raise
            else:
                self._breaker.answered()
                return given
            await asyncio.sleep(pause_s)
            retry += 1

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Say of an answer that has another shape whose it is."""
        try:
            yield
        except InvalidInput as error:
            raise PeerError(
                f"{self._name} answered with something else: {error.message}.",
                "Run the same version on both sides.",
            ) from None

    async def close(self) -> None:
        """Let go of the connection."""
        await self._connection.close()

    def _is_worth_it(self, retry: int) -> bool:
        return retry < self._settings.remote.retries and not self._breaker.is_open

    async def _tried(self, what: str, tried: Callable[[float], Awaitable[T]], seconds: float) -> T:
        """Ask once; that nobody is there, or lets us in, is a PeerError."""
        if self._connection.is_closed:
            raise PeerError(f"The connection to {self._name} was closed.", "Open a new one.")
        if self._tokens:
            await self._tokens.token()  # what goes wrong with it is told as it is
        with hearing() as heard:
            try:
                return await tried(seconds)
            except TimeoutError:
                raise PeerUnreachable(f"{self._name} did not answer in time.", _RUNS) from None
            except MCPError as error:
                raise self._denied(error) or heard.refusal or self._failed(what, error) from None
            except ConnectionError:
                raise heard.refusal or self._unreachable() from None

    def _denied(self, error: MCPError) -> SextantError | None:
        """Return what a server says of a call that it refused before it began."""
        data = error.data if isinstance(error.data, Mapping) else {}
        kind = _KINDS.get(str(data.get("code")), PeerError)
        return (
            self._theirs({**data, "message": error.message}) if issubclass(kind, Denied) else None
        )

    def _failed(self, tool: str, error: MCPError) -> PeerError:
        if error.code in (METHOD_NOT_FOUND, INVALID_PARAMS):
            self._listed_until = float("-inf")  # it may have been replaced by another version
            return PeerError(f"{self._name} has no tool {tool}.", _RUNS)
        if error.code == CONNECTION_CLOSED:
            return self._unreachable()
        return PeerUnreachable(f"{self._name} failed.", _RUNS)

    def _unreachable(self) -> PeerUnreachable:
        return PeerUnreachable(f"{self._name} cannot be reached.", _RUNS)

    def _read(self, called: CallToolResult) -> Mapping[str, Any]:
        content = called.structured_content or object_in_text(called)
        if called.is_error:
            raise self._theirs(content if isinstance(content, Mapping) else {})
        if not isinstance(content, Mapping):
            raise PeerError(f"{self._name} answered with no object.", _RUNS)
        return content

    def _theirs(self, told: Mapping[str, Any]) -> SextantError:
        """Return the error that a tool tells of; what it has against us is not the asker's."""
        kind = _KINDS.get(str(told.get("code")), PeerError)
        message, hint = str(told.get("message", "")), str(told.get("hint", ""))
        if issubclass(kind, Denied):
            return PeerRefused(f"{self._name} refuses: {message}", _TOKEN)
        return kind(message or f"{self._name} failed.", hint)

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[Client]:
        """Open a connection; that it was refused is told to all who wait for it."""
        with hearing() as heard:
            try:
                async with self._opened() as client:
                    yield client
            except Exception as error:
                raise heard.refusal or error from None

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[Client]:
        times = self._settings.model
        auth = Bearer(self._tokens) if self._tokens else None
        async with bounded_client(times, LARGEST, auth=auth, heard=self._hear) as http:
            transport = streamable_http_client(
                self._address, http_client=http, max_sse_event_size=LARGEST
            )
            async with Client(transport) as client:
                yield client

    async def _hear(self, answer: httpx2.Response) -> None:
        """Keep why the last request of a call was refused: the SDK tells only that it was."""
        if heard := HEARD.get():
            heard.refusal = self._refusal_of(answer)

    def _refusal_of(self, answer: httpx2.Response) -> SextantError | None:
        if answer.status_code in _REFUSED:
            return PeerRefused(
                f"{self._name} does not let this server in ({answer.status_code}).", _TOKEN
            )
        if answer.status_code == httpx2.codes.CONTENT_TOO_LARGE:
            return TooLarge(f"{self._name} does not take so much at once.", "Ask less.")
        if answer.status_code in _BUSY:
            return PeerUnreachable(
                f"{self._name} has too much to do ({answer.status_code}).",
                "Try again later.",
                _seconds(answer.headers.get("retry-after", "")),
            )
        return None


@dataclass(slots=True)
class HeardRefusal:
    """What a call, or the opening of a connection, was refused with."""

    refusal: SextantError | None = None


HEARD: ContextVar[HeardRefusal | None] = ContextVar("heard", default=None)
"""The SDK sends a message in the context of whoever sent it."""


@contextmanager
def hearing() -> Iterator[HeardRefusal]:
    """Hear what is refused while this lasts."""
    heard = HeardRefusal()
    token = HEARD.set(heard)
    try:
        yield heard
    finally:
        HEARD.reset(token)


def _left_alone(sentence: str, wait_s: float) -> SextantError:
    return PeerUnreachable(sentence, "Try again later.", wait_s)


def _seconds(told: str) -> float:
    return float(told) if told.isdigit() else 0.0


def _below(kind: type[SextantError]) -> Iterator[type[SextantError]]:
    yield kind
    for one in kind.__subclasses__():
        yield from _below(one)


_KINDS = {kind.code: kind for kind in _below(SextantError)}
