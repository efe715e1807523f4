"""MCP over stdin and stdout, for whoever started us: one client, one tenant, its personas.

Who calls is a model, which may do what a document tells it to: whatever it names, it reaches no
other knowledge. Nothing but messages goes to stdout; what else is to be said goes to stderr.
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
from sextant.serve.mcp.transports.shutdown import WatchedStdin, until_stopped
from sextant.serve.mcp.whole import whole_server
from sextant.serve.records.logs import log_tenant
from sextant.serve.stopping import AtOnce, do_nothing
from sextant.settings import Settings
from sextant.types import Scope

_READING = EVERY_ROLE - {Role.WRITE, Role.ADMIN, Role.ON_BEHALF}
_ALL = _READING | {Role.WRITE, Role.ADMIN}


async def serve_stdio(
    settings: Settings,
    personas: frozenset[str] = frozenset(),
    *,
    portable_names: bool = False,
    read_only: bool = False,
    at_once: AtOnce = do_nothing,
) -> None:
    """Serve until stdin ends, or somebody wants us to stop; then something is done at once."""
    roles = _READING if read_only else _ALL
    caller = Caller("local", settings.serve.tenant, personas=personas, roles=roles)
    built = await build.open_sextant(settings, cached_searches=settings.serve.cached_searches)
    async with built as sextant:
        server = whole_server(
            sextant,
            enter_locally,
            lambda _: Visit(caller, uuid4().hex, "mcp"),
            portable_names=portable_names,
            remembers=not read_only,
            store=settings.store,
        )
        await until_stopped(serve_messages(server, at_once), sextant.close, at_once)


async def serve_messages(server: Server[Any], at_end: AtOnce) -> None:
    """Let a server answer what comes over stdin, until that ends."""
    async with stdio_server() as (read, write):
        options = server.create_initialization_options()
        await server.run(WatchedStdin(read, at_end), write, options)


def enter_locally(visit: Visit, wanted: Wanted, role: Role, _: str, __: str) -> Scope:
    """Let whoever started us in; nobody else can write to our stdin."""
    if role not in visit.caller.roles:
        raise Forbidden(
            "This server was started to read only.",
            "Whoever starts it lets it write by leaving out --read-only.",
        )
    scope = scope_of(visit.caller, replace(wanted, user=""), role)
    log_tenant(visit.request_id, scope.tenant)
    # Whom it is asked for is but a name here: conversations are told apart by it.
    return replace(scope, user=wanted.user or None)
