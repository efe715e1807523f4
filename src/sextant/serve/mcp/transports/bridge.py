"""A bridge from stdin and stdout to a server that runs elsewhere. It knows messages, no tool.

Every message is forwarded as it is: requests side by side, so that progress and results come back
in any order; notifications one after the other beside them. A request that the client cancels is
given up here at once, too, which stops the work there.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import anyio
import httpx2
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
)
from mcp.shared.message import SessionMessage
from mcp_types import (
    PROTOCOL_VERSION_META_KEY,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from sextant.serve.mcp.config import address_of
from sextant.serve.mcp.transports.notifications import Notes
from sextant.serve.mcp.transports.shutdown import WatchedStdin, until_stopped
from sextant.serve.stopping import AtOnce, do_nothing
from sextant.settings import TOKEN_VARIABLE

_LOG = logging.getLogger(__name__)
_CONNECT_S, _READ_S = 10.0, 600.0
_LARGEST = 64 * 1_024 * 1_024
UNREACHABLE = -32000
_CANCELLED = "notifications/cancelled"
_TOKEN_HINT = f"Set {TOKEN_VARIABLE} to a token that this server takes."

Send = Callable[[SessionMessage], Awaitable[None]]


async def bridge(url: str, token: str = "", at_once: AtOnce = do_nothing) -> None:
    """Forward messages until stdin ends, or somebody wants us to stop; then something is done."""
    headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    if token:
        headers["authorization"] = f"Bearer {token}"
    await until_stopped(_forward(address_of(url), headers, at_once), at_once=at_once)


async def _forward(url: str, headers: dict[str, str], at_end: AtOnce) -> None:
    timeout = httpx2.Timeout(_READ_S, connect=_CONNECT_S)
    async with (
        httpx2.AsyncClient(headers=headers, timeout=timeout) as client,
        stdio_server() as (read, write),
        write,
        anyio.create_task_group() as group,
    ):
        forwarding = Forwarding(url, client, write.send)
        async with forwarding.notes.passed_on():
            async for item in WatchedStdin(read, at_end):
                if isinstance(item, Exception):
                    _LOG.warning("What stdin says is no message of JSON-RPC.")
                elif isinstance(item.message, JSONRPCRequest):
                    scope = forwarding.begin(item.message)
                    group.start_soon(forwarding.request, item.message, scope)
                elif isinstance(item.message, JSONRPCNotification):
                    forwarding.notify(item.message)
        group.cancel_scope.cancel()


class Forwarding:
    """One client's messages on their way, and what of its session has to come along."""

    def __init__(self, url: str, client: httpx2.AsyncClient, send: Send) -> None:
        self._url, self._client, self._send = url, client, send
        self._version = self._session = ""
        self._under_way: dict[str | int, anyio.CancelScope] = {}
        self.notes = Notes(self._note)

    def begin(self, request: JSONRPCRequest) -> anyio.CancelScope:
        """Note a request before it is sent, so that what comes next can cancel it."""
        self._under_way[request.id] = scope = anyio.CancelScope()
        return scope

    async def request(self, request: JSONRPCRequest, scope: anyio.CancelScope) -> None:
        """Forward a request, and all that comes back."""
        with scope:
            try:
                await self.notes.until_ready()
                is_answered = await self._post(request)
                if not is_answered:
                    await self._fail(request, "The server ended without an answer.")
            except (httpx2.HTTPError, ValidationError):
                await self._fail(request, f"{self._url} cannot be reached. Is it running?")
        if self._under_way.get(request.id) is scope:
            del self._under_way[request.id]

    def notify(self, note: JSONRPCNotification) -> None:
        """Let a notification be forwarded; one that cancels ends the waiting here at once."""
        cancelled = self._cancelled(note)
        if cancelled:
            cancelled.cancel()
        # Of the versions without a handshake, who cancels just leaves.
        if not cancelled or self._version not in MODERN_PROTOCOL_VERSIONS:
            self.notes.add(note)

    def _cancelled(self, note: JSONRPCNotification) -> anyio.CancelScope | None:
        """Return the request under way that a notification cancels."""
        named = (note.params or {}).get("requestId")
        if note.method != _CANCELLED or not isinstance(named, str | int):
            return None
        return None if isinstance(named, bool) else self._under_way.get(named)

    async def _note(self, note: JSONRPCNotification) -> None:
        try:
            await self._post(note)
        except (httpx2.HTTPError, ValidationError):
            _LOG.warning("%s could not be forwarded.", note.method)

    async def _post(self, message: JSONRPCRequest | JSONRPCNotification) -> bool:
        """Send a message, pass on what comes back, and say whether an answer was among it."""
        body = message.model_dump_json(by_alias=True, exclude_unset=True)
        headers = self._headers(message)
        async with self._client.stream(
            "POST", self._url, content=body, headers=headers
        ) as response:
            if response.status_code >= 400:
                return await self._refused(message, response)
            self._session = response.headers.get(MCP_SESSION_ID_HEADER, self._session)
            is_answered = False
            async for reply in _messages(response):
                self._learn(message, reply)
                await self._send(SessionMessage(reply))
                is_answered = isinstance(reply, JSONRPCResponse | JSONRPCError) or is_answered
        return is_answered

    def _headers(self, message: JSONRPCRequest | JSONRPCNotification) -> dict[str, str]:
        """Return what HTTP has to say of a message; a modern one says itself which version."""
        params = message.params or {}
        meta = params.get("_meta")
        stated = meta.get(PROTOCOL_VERSION_META_KEY) if isinstance(meta, dict) else None
        if isinstance(stated, str):
            self._version = stated
        elif message.method == "initialize":
            self._version = self._session = ""
        headers = {
            MCP_PROTOCOL_VERSION_HEADER: self._version,
            MCP_SESSION_ID_HEADER: self._session,
        }
        if self._version in MODERN_PROTOCOL_VERSIONS:
            headers[MCP_METHOD_HEADER] = message.method
            name = params.get(NAME_BEARING_METHODS.get(message.method, ""))
            headers[MCP_NAME_HEADER] = encode_header_value(name) if isinstance(name, str) else ""
        return {name: value for name, value in headers.items() if value}

    def _learn(self, asked: JSONRPCMessage, reply: JSONRPCMessage) -> None:
        if not isinstance(asked, JSONRPCRequest) or asked.method != "initialize":
            return
        if isinstance(reply, JSONRPCResponse):
            self._version = str(reply.result.get("protocolVersion", ""))

    async def _refused(
        self, message: JSONRPCRequest | JSONRPCNotification, response: httpx2.Response
    ) -> bool:
        """Pass on why the server refuses a message, as it says itself."""
        told = _json(await response.aread())
        if not isinstance(message, JSONRPCRequest):
            _LOG.warning("%s was refused: %s", message.method, response.status_code)
        elif "jsonrpc" in told and "error" in told:
            error = ErrorData.model_validate(told["error"])
            await self._send(
                SessionMessage(JSONRPCError(jsonrpc="2.0", id=message.id, error=error))
            )
        else:
            await self._fail(message, _reason(told, response.status_code))
        return True

    async def _fail(self, request: JSONRPCRequest, sentence: str) -> None:
        error = ErrorData(code=UNREACHABLE, message=sentence)
        await self._send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=request.id, error=error)))


async def _messages(response: httpx2.Response) -> AsyncIterator[JSONRPCMessage]:
    kind = response.headers.get("content-type", "").partition(";")[0].strip()
    if kind == "text/event-stream":
        async for event in httpx2.EventSource(response, max_event_size=_LARGEST):
            if event.data:
                yield jsonrpc_message_adapter.validate_json(event.data, by_name=False)
    elif body := await response.aread():
        yield jsonrpc_message_adapter.validate_json(body, by_name=False)


def _reason(told: dict[str, Any], status: int) -> str:
    """Return why a server refuses; who brings no token, or a wrong one, hears how to set it."""
    hint = _TOKEN_HINT if status == httpx2.codes.UNAUTHORIZED else told.get("hint", "")
    return f"{told.get('detail', '')} {hint}".strip() or f"The server answers {status}."


def _json(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
