"""MCP over stdin and stdout, for whoever started us: one client, all roles, one tenant.

Nothing but messages goes to stdout; what is to be said beside them goes to stderr.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from sextant import build
from sextant.serve.caller import EVERY_ROLE, Caller, Role, Wanted, scope_of
from sextant.serve.house import Visit
from sextant.serve.mcp.ending import until_stopped
from sextant.serve.mcp.whole import whole_server
from sextant.settings import Settings
from sextant.types import Scope


async def serve_stdio(
    settings: Settings, persona: str | None = None, *, portable_names: bool = False
) -> None:
    """Serve until stdin ends, or somebody wants us to stop."""
    personas = frozenset({persona}) if persona else None
    caller = Caller("local", settings.serve.tenant, personas=personas, roles=EVERY_ROLE)
    built = await build.build(settings, cached_searches=settings.serve.cached_searches)
    async with built as sextant:
        server = whole_server(
            sextant,
            _enter,
            lambda _: Visit(caller, uuid4().hex, "mcp"),
            portable_names=portable_names,
        )
        await until_stopped(_serve(server), sextant.close)


async def _serve(server: Server[Any]) -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def _enter(visit: Visit, wanted: Wanted, role: Role, _: str, __: str) -> Scope:
    """Let whoever started us in; nobody else can write to our stdin."""
    return scope_of(visit.caller, wanted, role)
