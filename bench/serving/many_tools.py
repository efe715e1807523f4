"""An MCP server over HTTP with as many tools as are asked for, each about another thing.

``python -m bench.serving.many_tools COUNT`` says where it listens in its first line.
"""

from __future__ import annotations

import socket
import sys

import uvicorn
from mcp.server.mcpserver import MCPServer

_VERBS = ("find", "list", "count", "check", "open", "close", "move", "price", "order", "cancel")
_NOUNS = ("invoices", "parcels", "meetings", "tickets", "servers", "rooms", "flights", "tyres")
_MORE = ("pumps", "permits")


def tool_names(count: int) -> list[str]:
    """Return the names of so many tools, at most a hundred."""
    return [f"{verb}_{noun}" for noun in (*_NOUNS, *_MORE) for verb in _VERBS][:count]


def server_of(count: int) -> MCPServer:
    """Return a server with so many tools."""
    server = MCPServer("bench", log_level="CRITICAL")
    for name in tool_names(count):
        verb, noun = name.split("_")

        def answer(place: str, day: str = "", limit: int = 10) -> str:
            return f"{limit} in {place} on {day or 'any day'}"

        text = f"{verb.capitalize()} {noun} of a place on a day, at most as many as are asked for."
        server.add_tool(answer, name=name, description=text, structured_output=False)
    return server


def main() -> None:
    """Serve until stopped."""
    app = server_of(int(sys.argv[1])).streamable_http_app(stateless_http=True, json_response=True)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(1024)
        print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])


if __name__ == "__main__":
    main()
