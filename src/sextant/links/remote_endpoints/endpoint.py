"""A remote endpoint of others over HTTP: asked in time, read within bounds, left alone if it fails.

An action or a run may have done something before it failed, so none is repeated.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from typing import Any, cast

import httpx2

from sextant.errors import PeerError, PeerRefused, PeerUnreachable, SextantError
from sextant.links.bearer import Bearer
from sextant.links.client import Oversized, bounded_client, checked_address, host_of
from sextant.links.mcp_connection import shown_message
from sextant.links.remote_endpoints.events import read_event
from sextant.links.remote_endpoints.messages import run_body
from sextant.links.tokens import Tokens, tokens_for
from sextant.ports import RemoteEvent
from sextant.prompting.calls.breaker import COOL_DOWN_S, FAILURES, Breaker
from sextant.settings import RemoteEndpointSettings, Settings
from sextant.settings.credentials import remote_credential
from sextant.spans import Kind, outward, span
from sextant.text.codec.action_parameters import schema_of
from sextant.types import AgentCard, Json, JsonObject, Offer, RemoteCall, RemoteRun, ToolSpec

LARGEST = 16 * 1024 * 1024
"""Bytes of one answer, or of all lines of a run: sixteen times what is kept of a thread."""
_LONGEST_LINE = 2 * 1024 * 1024
"""Bytes of one line: a state of a megabyte, written as a text within JSON."""
_MOST_PARTS = 1_000
"""Agents, and actions, that one endpoint may offer."""
_FORM = "Write https://host/path."
_CHECK = "Check its address, and whether it runs."
_RUNS = "Whoever runs it has to mend that."
_REFUSED = (httpx2.codes.UNAUTHORIZED, httpx2.codes.FORBIDDEN)


class HttpRemoteEndpoint:
    """One endpoint below one address."""

    def __init__(
        self, remote: RemoteEndpointSettings, settings: Settings, tokens: Tokens | None = None
    ) -> None:
        self._remote, self._settings, self._tokens = remote, settings, tokens
        self._root = checked_address(remote.url, _FORM, f"The address of {remote.name}").rstrip("/")
        auth = Bearer(tokens) if tokens else None
        self._client = bounded_client(settings.model, LARGEST, auth=auth)
        self._breaker = Breaker(remote.name, FAILURES, COOL_DOWN_S, _left_alone)

    @property
    def name(self) -> str:
        """How it is called here."""
        return self._remote.name

    async def offer(self, call: RemoteCall) -> Offer:
        """Return the agents and actions that are there now."""
        body = {"properties": call.properties}
        told = await self._asked("info", call, body, self._settings.remote.call_seconds)
        return Offer(
            tuple(AgentCard(*one) for one in self._listed(told, "agents")),
            tuple(
                ToolSpec(name, description, _schema_in(own))
                for name, description, own in self._listed_whole(told, "actions")
            ),
        )

    async def execute(self, call: RemoteCall, action: str, arguments: JsonObject) -> Json:
        """Return what an action returns; one that fails is a PeerError."""
        body = {"name": action, "arguments": arguments, "properties": call.properties}
        seconds = self._settings.chat.action_seconds
        return cast(Json, (await self._asked("actions/execute", call, body, seconds)).get("result"))

    async def run(self, call: RemoteCall, run: RemoteRun) -> AsyncGenerator[RemoteEvent, None]:
        """Yield what an agent tells, as it comes."""
        seconds = self._settings.chat.remote_seconds
        whose, until = f"The agent {run.agent} of {self.name}", _now() + seconds
        async with self._watched(whose, seconds), AsyncExitStack() as opened:
            posted = self._posted("agents/execute", call, run_body(call, run))
            async with asyncio.timeout_at(until):
                answer = await opened.enter_async_context(posted)
            lines = await opened.enter_async_context(aclosing(_lines(answer, whose, until)))
            async for line in lines:
                if event := read_event(line, whose):
                    yield event

    async def load_state(self, call: RemoteCall, agent: str, thread_id: str) -> JsonObject | None:
        """Return the state of an agent in a thread, or None where there is no such thread."""
        body = {"properties": call.properties, "threadId": thread_id, "name": agent}
        told = await self._asked("agents/state", call, body, self._settings.remote.call_seconds)
        state = told.get("state")
        return state if told.get("threadExists") is True and isinstance(state, dict) else None

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.aclose()
        if self._tokens:
            await self._tokens.close()

    async def _asked(
        self, method: str, call: RemoteCall, body: Mapping[str, Any], seconds: float
    ) -> Mapping[str, Any]:
        async with (
            self._watched(self.name, seconds),
            asyncio.timeout(seconds),
            self._posted(method, call, body) as answer,
        ):
            told = _object_in(await answer.aread())
        if told is None:
            raise PeerError(f"{self.name} answered with something else than an object.", _RUNS)
        return told

    @asynccontextmanager
    async def _posted(
        self, method: str, call: RemoteCall, body: Mapping[str, Any]
    ) -> AsyncIterator[httpx2.Response]:
        told = {"http.request.method": "POST", "server.address": host_of(self._root)}
        headers = {**call.headers, **outward()}
        with span("POST", told, Kind.CLIENT) as own:
            address = f"{self._root}/{method}"
            async with self._client.stream("POST", address, json=body, headers=headers) as answer:
                own.note({"http.response.status_code": answer.status_code})
                if answer.status_code != httpx2.codes.OK:
                    raise self._refusal(answer.status_code, await answer.aread())
                yield answer

    def _refusal(self, status: int, body: bytes) -> PeerError:
        if status in _REFUSED:
            variable = remote_credential(self._remote).token_variable
            return PeerRefused(
                f"{self.name} does not let us in ({status}).", f"Set {variable} to a token for it."
            )
        if status >= httpx2.codes.BAD_GATEWAY:
            return PeerUnreachable(f"{self.name} answered with status {status}.", _CHECK)
        said = (_object_in(body) or {}).get("error")
        why = shown_message(said) if isinstance(said, str) else f"status {status}"
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
            raise PeerError(f"{whose} sent more than {LARGEST:,} bytes.", _RUNS) from None
        except (TimeoutError, httpx2.TimeoutException):
            self._breaker.failed(time.monotonic())
            raise PeerUnreachable(f"{whose} took longer than {seconds:g} s.", _CHECK) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError):
            self._breaker.failed(time.monotonic())
            raise PeerUnreachable(f"{whose} cannot be reached, or broke off.", _CHECK) from None
        except SextantError:
            self._breaker.answered()
            raise
        else:
            self._breaker.answered()

    def _listed(self, told: Mapping[str, Any], what: str) -> list[tuple[str, str]]:
        return [(name, description) for name, description, _ in self._listed_whole(told, what)]

    def _listed_whole(
        self, told: Mapping[str, Any], what: str
    ) -> list[tuple[str, str, Mapping[str, Any]]]:
        """Return what is offered, by name and description; what has no name is left out."""
        given = told.get(what, [])
        if not isinstance(given, list) or len(given) > _MOST_PARTS:
            raise PeerError(f"{self.name} lists no {what}, or over {_MOST_PARTS:,}.", _RUNS)
        limit = self._settings.limits
        return [
            (one["name"], str(one.get("description") or "")[: limit.metadata], one)
            for one in given
            if isinstance(one, dict)
            and isinstance(one.get("name"), str)
            and 0 < len(one["name"]) <= limit.id
        ]


def open_remote_endpoint(remote: RemoteEndpointSettings, settings: Settings) -> HttpRemoteEndpoint:
    """Open an endpoint of the settings; it is asked when somebody first needs it."""
    return HttpRemoteEndpoint(remote, settings, tokens_for(remote_credential(remote)))


async def _lines(answer: httpx2.Response, whose: str, until: float) -> AsyncGenerator[bytes, None]:
    """Yield whole lines, until a moment of the loop; half a line at the end is none.

    Only what is waited for here is timed: whoever reads the lines may take longer.
    """
    held, pieces = b"", answer.aiter_bytes()
    while True:
        async with asyncio.timeout_at(until):
            piece = await anext(pieces, b"")
        if not piece:
            break
        *lines, held = (held + piece).split(b"\n")
        if max(map(len, (*lines, held))) > _LONGEST_LINE:
            raise PeerError(f"{whose} sent a line of more than {_LONGEST_LINE:,} bytes.", _RUNS)
        for line in lines:
            if line.strip():
                yield line
    if held.strip():
        raise PeerError(f"{whose} broke off in the middle of a line.", _RUNS)


def _now() -> float:
    return asyncio.get_running_loop().time()


def _schema_in(action: Mapping[str, Any]) -> JsonObject:
    given = action.get("parameters")
    if isinstance(given, list):
        return schema_of([one for one in given if isinstance(one, dict)])
    return given if isinstance(given, dict) else schema_of([])


def _object_in(body: bytes) -> Mapping[str, Any] | None:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _left_alone(sentence: str, wait_s: float) -> SextantError:
    return PeerUnreachable(sentence, _CHECK, wait_s)
