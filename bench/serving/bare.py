"""A bare FastAPI endpoint and a bare MCP tool that give a reply as large as ours, and do nothing.

``python -m bench.serving.bare FILE`` says where it listens in its first line; FILE holds the reply.
"""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel
from starlette.responses import JSONResponse


class Asked(BaseModel):
    """What the endpoint takes."""

    query: str


class Said(BaseModel):
    """What the tool gives."""

    reply: dict[str, Any]


def bare_app(reply: dict[str, Any]) -> FastAPI:
    """Return an app with one endpoint and one tool."""
    server = MCPServer("bare", log_level="CRITICAL")

    @server.tool()
    async def ask(query: str) -> Said:  # noqa: ARG001 - whatever is asked
        """Say the same to all."""
        return Said(reply=reply)

    tools = server.streamable_http_app(stateless_http=True, json_response=True)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        async with server.session_manager.run():
            yield

    app = FastAPI(lifespan=life)

    async def answer(_: Asked) -> JSONResponse:
        return JSONResponse(reply)

    app.add_api_route("/api/ask", answer, methods=["POST"])
    app.mount("/", tools)
    return app


def main() -> None:
    """Serve until stopped."""
    app = bare_app(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    # asyncio sends small pieces at once only where the protocol is named.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(1024)
        print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        server.run(sockets=[listening])


if __name__ == "__main__":
    main()
