"""A gateway that answers: over stdin and stdout for one client, or over HTTP for many."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import uuid4

from sextant import build
from sextant.core.gateway import Gateway, Hear
from sextant.serve.caller import Caller, Role
from sextant.serve.house import Visit
from sextant.serve.http.health import Part, Readiness
from sextant.serve.mcp.gateway.server import gateway_server
from sextant.serve.mcp.gateway.tools import call_tool, search_tool
from sextant.serve.mcp.transports.shutdown import until_stopped
from sextant.serve.mcp.transports.single_server import Alone, Room, running_room
from sextant.serve.mcp.transports.stdio import enter_locally, serve_messages
from sextant.serve.stopping import AtOnce, do_nothing
from sextant.settings import Settings
from sextant.types import Scope

_ROLES = frozenset({Role.SEARCH, Role.CALL})


@dataclass(frozen=True, slots=True)
class Fronted:
    """Which servers a gateway stands before, and for which request it lists tools, if for one."""

    servers: Sequence[str] = ()
    request: str = ""


async def serve_over_stdio(
    settings: Settings,
    fronted: Fronted,
    personas: frozenset[str],
    hear: Hear,
    at_once: AtOnce = do_nothing,
) -> None:
    """Serve until stdin ends, or somebody wants us to stop."""
    caller = Caller("local", settings.serve.tenant, personas=personas, roles=_ROLES)
    async with AsyncExitStack() as opened:
        gateway = await opened.enter_async_context(open_gateway(settings, fronted, hear))
        server = gateway_server(
            gateway,
            enter_locally,
            lambda _: Visit(caller, uuid4().hex, "mcp"),
            request=fronted.request,
        )
        closing = Once(opened.aclose)

        async def serve() -> None:
            # Who starts us says twice that it wants an end; the servers end before we do.
            try:
                await serve_messages(server, at_once)
            finally:
                await closing()

        await until_stopped(serve(), closing, at_once)


class Once:
    """Something that is done once, whoever wants it done, and waited for by all of them."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._work = work
        self._under_way: asyncio.Task[None] | None = None

    async def __call__(self) -> None:
        """Do it, or wait until it is done."""
        self._under_way = self._under_way or asyncio.create_task(self._work())
        await asyncio.shield(self._under_way)


def running_gateway(
    settings: Settings, fronted: Fronted, hear: Hear, token: str = ""
) -> AbstractAsyncContextManager[Alone]:
    """Serve over HTTP, behind all guards, until the block ends."""

    async def open_room(opened: AsyncExitStack, chosen: Settings) -> Room:
        gateway = await opened.enter_async_context(open_gateway(chosen, fronted, hear))
        visit = Visit(Caller("", chosen.serve.tenant), "", "mcp")
        tools = search_tool(gateway, visit), call_tool(gateway, visit)
        answers = Part(lambda: gateway.toolbox.graph_stats(Scope(chosen.serve.tenant)))
        serve = partial(gateway_server, gateway, request=fronted.request)
        return Room(tools, Readiness({"toolbox": answers}), gateway.tracer, serve)

    return running_room(settings, open_room, token)


@asynccontextmanager
async def open_gateway(settings: Settings, fronted: Fronted, hear: Hear) -> AsyncIterator[Gateway]:
    """Open a store, and begin to read what all servers list; whoever comes need not wait."""
    async with await build.open_sextant(settings) as sextant:
        gateway = build.build_gateway(sextant, fronted.servers)
        try:
            gateway.begin_reading(hear)
            yield gateway
        finally:
            await gateway.close()
