"""One call in, one answer out, for versions with a handshake: the SDK's own way of serving a call,
without the streams and tasks that it builds round one which may do more than answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server
from mcp.server.runner import modern_error_data, serve_one
from mcp.server.streamable_http import check_accept_headers
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from mcp_types import DEFAULT_NEGOTIATED_VERSION, JSONRPCRequest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from sextant.text.codec.json_bytes import written


@dataclass(slots=True)
class _Single:
    """What a call knows of its way in. There is no way back but its answer."""

    request_id: str | int
    message_metadata: ServerMessageMetadata
    transport: TransportContext
    can_send_request: bool = False
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)

    async def send_raw_request(
        self, method: str, _: Mapping[str, Any] | None, __: CallOptions | None = None
    ) -> dict[str, Any]:
        raise NoBackChannelError(method)

    async def notify(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> None:
        """Drop it: nobody asked to hear more than the answer."""

    async def progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Drop it, too."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A call that can be answered so."""

    request: Request
    version: str
    call: JSONRPCRequest

    async def answer(self, server: Server[Any], scope: Scope, receive: Receive, send: Send) -> None:
        """Let a server do it, and tell the result or what was wrong."""
        told: dict[str, Any] = {"jsonrpc": "2.0", "id": self.call.id}
        try:
            told["result"] = await self._result(server)
        except Exception as error:
            data = modern_error_data(error)
            told["error"] = data.model_dump(by_alias=True, mode="json", exclude_none=True)
        await Response(written(told), media_type="application/json")(scope, receive, send)

    async def _result(self, server: Server[Any]) -> dict[str, Any]:
        single = _Single(
            self.call.id,
            ServerMessageMetadata(request_context=self.request),
            TransportContext(kind="streamable-http", can_send_request=False),
        )
        connection = Connection.from_envelope(self.version, None, None)
        return await serve_one(
            server,
            single,
            self.call.method,
            self.call.params,
            connection=connection,
            lifespan_state={},
        )


def exchange_of(scope: Scope, message: dict[str, Any]) -> Exchange | None:
    """Return a well-formed call of a tool; what is anything else is for the SDK to judge."""
    if message.get("method") != "tools/call" or "id" not in message:
        return None
    request = Request(scope)
    version = request.headers.get(MCP_PROTOCOL_VERSION_HEADER, DEFAULT_NEGOTIATED_VERSION)
    takes_json, _ = check_accept_headers(request)
    if version not in HANDSHAKE_PROTOCOL_VERSIONS or not takes_json:
        return None
    try:
        return Exchange(request, version, JSONRPCRequest.model_validate(message))
    except ValidationError:
        return None
