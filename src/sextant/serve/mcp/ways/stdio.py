"""MCP over stdin and stdout, for whoever started us: one client, one tenant; all roles, or those
that only read.

Nothing but messages goes to stdout; what is to be said beside them goes to stderr.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import uuid4

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from sextant import build
from sextant.errors import Forbidden
from sextant.serve.caller import EVERY_ROLE, Caller, Role, Wanted, scope_of
from sextant.serve.house import Visit
from sextant.serve.mcp.ways.ending import until_stopped
from sextant.serve.mcp.whole import whole_server
from sextant.settings import Settings
from sextant.types import Scope

_WRITING = frozenset({Role.WRITE, Role.ADMIN})


async def serve_stdio(
    settings: Settings,
    persona: str | None = None,
    *,
    portable_names: bool = False,
    read_only: bool = False,
) -> None:
    """Serve until stdin ends, or somebody wants us to stop."""
    personas = frozenset({persona}) if persona else None
    roles = EVERY_ROLE - _WRITING if read_only else EVERY_ROLE
    caller = Caller("local", settings.serve.tenant, personas=personas, roles=roles)
    built = await build.build(settings, cached_searches=settings.serve.cached_searches)
    async with built as sextant:
        server = whole_server(
            sextant,
            _enter,
            lambda _: Visit(caller, uuid4().hex, "mcp"),
            portable_names=portable_names,
            remembers=not read_only,
        )
        await until_stopped(_serve(server), sextant.close)


async def _serve(server: Server[Any]) -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def _enter(visit: Visit, wanted: Wanted, role: Role, _: str, __: str) -> Scope:
    """Let whoever started us in; nobody else can write to our stdin."""
    if role not in visit.caller.roles:
        raise Forbidden(
            "This server was started to read only.",
            "Whoever starts it lets it write by leaving out --read-only.",
        )
    persona = wanted.persona or min(visit.caller.personas or {""})
    return scope_of(visit.caller, replace(wanted, persona=persona), role)
