"""Snippets that tell common MCP clients how to start or reach us. Knows their shapes, no server."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from sextant.errors import InvalidInput
from sextant.settings import TOKEN_VARIABLE

EVERY = "all"
_NAME = "sextant"
_TOKEN = "YOUR-TOKEN"  # noqa: S105 - a place for one


@dataclass(frozen=True, slots=True)
class Client:
    """A kind of client: where its files are, and what it calls things there.

    Not every file may name a server by its address: ``reaching`` does, where that is another one.
    """

    name: str
    file: str
    key: str
    stdio: str
    http: str = "http"
    lists_tools: bool = False
    reaching: str = ""


CLIENTS = (
    Client(
        "claude",
        "claude_desktop_config.json, or .mcp.json in a project",
        "mcpServers",
        "",
        reaching=".mcp.json in a project; claude_desktop_config.json needs --bridge",
    ),
    Client("vscode", ".vscode/mcp.json", "servers", "stdio"),
    Client("copilot", "~/.copilot/mcp-config.json", "mcpServers", "local", lists_tools=True),
)


def chosen(name: str) -> Sequence[Client]:
    """Return the clients that a name means."""
    found = [one for one in CLIENTS if name in (one.name, EVERY)]
    if not found:
        known = ", ".join([*(one.name for one in CLIENTS), EVERY])
        raise InvalidInput(f"{name[:40]!r} is no client that is known here.", f"Use {known}.")
    return found


def started(client: Client, arguments: Sequence[str], variables: Mapping[str, str]) -> str:
    """Return what goes into a client's file, so that it starts us with these."""
    return _snippet(
        client,
        {
            **({"type": client.stdio} if client.stdio else {}),
            "command": sys.executable,
            "args": ["-m", "sextant", "mcp", *arguments],
            **({"env": dict(variables)} if variables else {}),
        },
    )


def reached(client: Client, url: str) -> str:
    """Return what goes into a client's file, so that it calls a server of ours."""
    headers = {"Authorization": f"Bearer {_TOKEN}"}
    return _snippet(client, {"type": client.http, "url": portable(url), "headers": headers})


def bridged(client: Client, url: str) -> str:
    """Return the same for a client that only starts commands."""
    return started(client, ("--url", portable(url)), {TOKEN_VARIABLE: _TOKEN})


def address_of(url: str) -> str:
    """Return where MCP is spoken; of a server alone, that is /mcp."""
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        parts, is_whole = urlsplit(""), False
    if not is_whole:
        raise InvalidInput(f"{url[:80]!r} is not an address.", "Write http://127.0.0.1:8787/mcp.")
    return urlunsplit(parts._replace(path="/mcp")) if parts.path in ("", "/") else url


def portable(url: str) -> str:
    """Return an address of MCP where tools are listed without dots in their names."""
    address = address_of(url)
    return address if "?" in address else f"{address}?names=portable"


def _snippet(client: Client, entry: dict[str, Any]) -> str:
    tools = {"tools": ["*"]} if client.lists_tools else {}
    return json.dumps({client.key: {_NAME: entry | tools}}, indent=2)
