"""A real MCP server, written with the official SDK: a process of its own, over stdio or HTTP.

Run as ``python -m tests.links.mcp_server stdio`` or ``… http``; the latter prints its port. Served
as ``single``, it has one tool over HTTP.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel

server = MCPServer("knowledge")


class Found(BaseModel):
    """The shape of the workflow."""

    query_used: str
    chunk_texts: list[str]
    chunk_sources: list[str]


@server.tool()
def find(user_question: str, query: str, retrieval_goal: str, filter: str) -> Found:  # noqa: A002
    """Find passages."""
    told = f"{user_question}|{query}|{retrieval_goal}|{filter}"
    return Found(query_used=query, chunk_texts=[told, str(os.getpid())], chunk_sources=["A", "B"])


@server.tool(structured_output=False)
def find_as_text(query: str) -> str:
    """Find passages, as an older server would."""
    return json.dumps({"query_used": query, "chunk_texts": ["t"], "chunk_sources": ["S"]})


@server.tool()
def find_wrapped(query: str) -> str:
    """Find passages, as JSON that the SDK wraps once more."""
    return find_as_text(query)


@server.tool()
def prose(query: str) -> str:
    """Answer with no JSON."""
    return f"I found nothing for {query}."


@server.tool()
def misaligned(query: str) -> Found:
    """Answer with a text that has no source."""
    return Found(query_used=query, chunk_texts=["t"], chunk_sources=[])


@server.tool()
def fail(query: str) -> Found:
    """Fail."""
    raise ToolError(f"no index for {query} with api_key=abcdef0123456789abcdef")


@server.tool()
def large(query: str) -> Found:
    """Answer with more than anybody needs."""
    return Found(query_used=query, chunk_texts=["x" * 6_000_000], chunk_sources=["S"])


@server.tool(structured_output=False)
def large_as_text(query: str) -> str:
    """Answer with as much, as text."""
    return query * 500_000


@server.tool()
async def hang(query: str) -> Found:
    """Never answer."""
    await asyncio.Event().wait()
    return Found(query_used=query, chunk_texts=[], chunk_sources=[])


@server.tool()
def die(query: str) -> Found:
    """End the server in the middle of a call."""
    os._exit(int(bool(query)))


def _over_http(served: MCPServer) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    app = served.streamable_http_app()
    config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    if sys.argv[1] == "http":
        _over_http(server)
    elif sys.argv[1] == "single":
        single = MCPServer("single")
        single.tool()(find)
        _over_http(single)
    else:
        server.run("stdio")
