"""A real MCP server over HTTP that lets in one token only and says with what it was called.

Run as ``python -m tests.links.guarded_server TOKEN``; it prints where it is, and ends with its
standard input.
"""

from __future__ import annotations

import socket
import sys
import threading
from contextvars import ContextVar

import uvicorn
from mcp.server.mcpserver import MCPServer
from starlette.types import ASGIApp, Receive, Scope, Send

server = MCPServer("guarded")
_HEADERS: ContextVar[dict[str, str]] = ContextVar("headers")


@server.tool(structured_output=False)
def headers() -> str:
    """Say which headers came with the call."""
    return " ".join(f"{name}={value}" for name, value in sorted(_HEADERS.get().items()))


def guarded(app: ASGIApp, token: str) -> ASGIApp:
    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        given = {name.decode(): value.decode() for name, value in scope["headers"]}
        if given.get("authorization") != f"Bearer {token}":
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            return
        _HEADERS.set(given)
        await app(scope, receive, send)

    return guard


def main(token: str) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    app = guarded(server.streamable_http_app(stateless_http=True, json_response=True), token)
    config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1)
    threading.Thread(
        target=uvicorn.Server(config).run, kwargs={"sockets": [listener]}, daemon=True
    ).start()
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
