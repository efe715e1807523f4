"""Which paths there are, for guards: what is open, what is a door, what takes files."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import Scope

from sextant.serve.identity.metadata import WELL_KNOWN
from sextant.settings import Settings

API = "/api"
MCP = "/mcp"
METRICS = "/metrics"
_OPEN = frozenset({"/", "/health", "/ready", "/openapi.json", "/docs"})
_FIXED = _OPEN | {MCP, METRICS}
_UPLOADS = frozenset({"/api/ingest"})


def is_open(path: str) -> bool:
    """Whether anybody may come here without a token."""
    return path in _OPEN or path == WELL_KNOWN or path.startswith(f"{WELL_KNOWN}/")


def door_of(path: str) -> str:
    """Return the door that a path leads to: rest, mcp, or the house's own."""
    for door, root in (("rest", API), ("mcp", MCP)):
        if path == root or path.startswith(f"{root}/"):
            return door
    return "own"


def is_upload(path: str) -> bool:
    """Whether whole files come in here."""
    return path in _UPLOADS


def address_of(scope: Scope) -> str:
    """Return from where a request came."""
    client = scope.get("client")
    return client[0] if client else ""


def address_called(scope: Scope, settings: Settings) -> str:
    """Return the address that this server is called by, without a path."""
    called = f"{scope['scheme']}://{Headers(scope=scope).get('host', '')}"
    return settings.serve.public_url.rstrip("/") or called


def route_of(scope: Scope) -> str:
    """Return the pattern of the route that was found, if one was."""
    path: str = scope["path"]
    return path if path in _FIXED else getattr(scope.get("route"), "path", "")
