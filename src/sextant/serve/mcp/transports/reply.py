"""The answer to a message on its way out over HTTP."""

from __future__ import annotations

import json
from collections.abc import Mapping
from secrets import token_urlsafe
from typing import Any

from mcp.server.streamable_http import MCP_SESSION_ID_HEADER, REQUEST_CANCELLED
from starlette.datastructures import MutableHeaders
from starlette.types import Message, Send

INITIALIZE = "initialize"
_START = "http.response.start"
_CANCELLED = {"code": REQUEST_CANCELLED, "message": "The request was cancelled."}


class Reply:
    """Passes on what answers a message; who may begin is given a session with it."""

    def __init__(self, send: Send, message: Mapping[str, Any]) -> None:
        self._send, self._message = send, message
        self._held: Message | None = None
        self._is_started = self._is_stream = False

    async def send(self, message: Message) -> None:
        """Send on; how an answer to initialize begins depends on what is in it."""
        if message["type"] == _START and self._message.get("method") == INITIALIZE:
            self._held = message
            return
        if self._held:
            start, self._held = self._held, None
            if start["status"] == 200 and _is_result(message.get("body", b"")):
                MutableHeaders(scope=start)[MCP_SESSION_ID_HEADER] = token_urlsafe(16)
            await self._pass_on(start)
        await self._pass_on(message)

    async def _pass_on(self, message: Message) -> None:
        if message["type"] == _START:
            kind = MutableHeaders(scope=message).get("content-type", "")
            self._is_started, self._is_stream = True, kind.startswith("text/event-stream")
        await self._send(message)

    async def cancel(self) -> None:
        """Say that the client wanted no answer."""
        told = {"jsonrpc": "2.0", "id": self._message.get("id"), "error": _CANCELLED}
        body = json.dumps(told).encode()
        if self._is_stream:
            body = b"event: message\r\ndata: %s\r\n\r\n" % body
        elif self._is_started:
            return
        else:
            headers = [(b"content-type", b"application/json")]
            await self._send({"type": _START, "status": 200, "headers": headers})
        await self._send({"type": "http.response.body", "body": body, "more_body": False})


def _is_result(body: bytes) -> bool:
    """Whether a whole answer of JSON-RPC tells no error."""
    try:
        told = json.loads(body)
    except ValueError:
        return False
    return isinstance(told, dict) and "result" in told
