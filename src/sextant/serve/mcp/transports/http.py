"""MCP over Streamable HTTP, without sessions: every request stands for itself and its own token.

A call whose client wants to hear of progress is answered as a stream, any other as plain JSON. A
client that leaves stops the work for it. The session id that we give away is stored nowhere: it
only tells apart the calls that a client of a handshake version may cancel.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from sextant.serve.house import House, Visit
from sextant.serve.http.problem import Problem
from sextant.serve.mcp.transports.content_type import NO_JSON, said_to_be_json
from sextant.serve.mcp.transports.exchange import exchange_of
from sextant.serve.mcp.transports.message import Refusal, checked, read
from sextant.serve.mcp.transports.reply import INITIALIZE, Reply
from sextant.serve.mcp.transports.roles import Needs
from sextant.serve.mcp.transports.sizes import BULKY, is_bulky
from sextant.serve.mcp.whole import every_tool, whole_server

_GONE: Message = {"type": "http.disconnect"}
_LARGEST = 256 * 1_024 * 1_024
"""The guards refuse a body long before."""
_ONLY_POST = Problem(
    405,
    "method_not_allowed",
    "Method not allowed",
    "MCP is spoken here by POST alone; no stream is kept open for a session.",
    "See the specification of Streamable HTTP.",
    (("allow", "POST"),),
)
_LISTEN = "subscriptions/listen"

Key = tuple[str, str, str | int]


def visit_of(ctx: ServerRequestContext[Any, Any]) -> Visit:
    """Return whose a request over HTTP is: the gate put it there."""
    found: Visit = ctx.request.state.visit  # type: ignore[union-attr]
    return found


def whole_mcp(house: House) -> McpOverHttp:
    """Return what answers over MCP for a house, with all tools."""
    server = whole_server(house.sextant, house.enter, visit_of)
    return McpOverHttp(server, Needs(every_tool(house.sextant), house.enter))


class McpOverHttp:
    """An ASGI app for one server; it works while its lifespan lasts."""

    def __init__(self, server: Server[Any], needs: Needs) -> None:
        self._server, self._needs = server, needs
        self._plain = _manager(server, is_json=True)
        self._streaming = _manager(server, is_json=False)
        self._under_way: dict[Key, anyio.CancelScope] = {}

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Hold open what calls need."""
        async with self._plain.run(), self._streaming.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["method"] != "POST":
            await _ONLY_POST(scope, receive, send)
        elif asked := said_to_be_json(scope):
            await self._post(asked, receive, send)
        else:
            await NO_JSON(scope, receive, send)

    async def _post(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _body(receive)
        if body is None:
            return
        try:
            told = _Envelope(scope, body)
            self._needs.check(told.message, told.visit)
        except Refusal as refusal:
            await refusal(scope, receive, send)
            return
        if told.is_bulky:
            await BULKY(scope, receive, send)
            return
        if told.cancels and (known := self._under_way.get(told.cancels)):
            known.cancel()
        reply = Reply(send, told.message)
        with anyio.CancelScope() as cancelled:
            if told.key:
                self._under_way[told.key] = cancelled
            try:
                await self._answered(told, body, scope, receive, reply)
            finally:
                if told.key and self._under_way.get(told.key) is cancelled:
                    del self._under_way[told.key]
        if cancelled.cancelled_caught:
            await reply.cancel()

    async def _answered(
        self, told: _Envelope, body: bytes, scope: Scope, receive: Receive, reply: Reply
    ) -> None:
        manager = self._streaming if told.wants_stream else self._plain
        single = None if told.wants_stream else exchange_of(scope, told.message)
        gone = anyio.Event()
        unread: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def again() -> Message:
            if unread:
                return unread.pop()
            await gone.wait()
            return _GONE

        async def watch(working: anyio.CancelScope) -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            gone.set()
            working.cancel()

        async with anyio.create_task_group() as group:
            group.start_soon(watch, group.cancel_scope)
            if single:
                await single.answer(self._server, scope, again, reply.send)
            else:
                await manager.handle_request(scope, again, reply.send)
            group.cancel_scope.cancel()


class _Envelope:
    """What can be seen of a message before it is read properly."""

    def __init__(self, scope: Scope, body: bytes) -> None:
        found = read(body)
        self.is_bulky = is_bulky(found)
        self.message: dict[str, Any] = {} if self.is_bulky else checked(found)
        self.method = self.message.get("method")
        # Nothing comes before the answer to initialize, and what is in it decides how it begins.
        tells = b'"progressToken"' in body and self.method != INITIALIZE
        self.wants_stream = tells or self.method == _LISTEN
        self._session = Headers(scope=scope).get(MCP_SESSION_ID_HEADER, "")
        self.visit: Visit = scope["state"]["visit"]
        self.key = self._key(self.message.get("id"))
        self.cancels = None
        if self.method == "notifications/cancelled":
            params = self.message.get("params")
            self.cancels = self._key(params.get("requestId") if isinstance(params, dict) else None)

    def _key(self, name: object) -> Key | None:
        """Return what only this client calls a request so; nothing without a session."""
        if not self._session or not isinstance(name, str | int):
            return None
        return self._session, self.visit.caller.name, name


def _manager(server: Server[Any], *, is_json: bool) -> StreamableHTTPSessionManager:
    return StreamableHTTPSessionManager(
        server, json_response=is_json, stateless=True, max_request_body_size=_LARGEST
    )


async def _body(receive: Receive) -> bytes | None:
    """Return all that a client sends; nothing if it left before that."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)
