"""One of the three servers alone, over HTTP, behind the same guards: only its own tools.

The knowledge store opens no language model, the orchestration no store, and the pipeline neither:
it asks the other two.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from mcp.server.lowlevel import Server

from sextant import build
from sextant.core.entries import Entries
from sextant.core.pipeline import Pipeline
from sextant.query import Query
from sextant.serve.app import App
from sextant.serve.http.health import FRESH_S, Part, Readiness, embedding, readiness_of
from sextant.serve.http.server import bound
from sextant.serve.identity import check_way_in
from sextant.serve.mcp.calling import Enter
from sextant.serve.mcp.door import mcp_door
from sextant.serve.mcp.server import VisitOf, mcp_server
from sextant.serve.mcp.tool import Tool
from sextant.serve.mcp.tools import knowledge_graph, knowledge_store, orchestration, pipeline
from sextant.serve.mcp.transports.http import McpOverHttp, visit_of
from sextant.serve.mcp.transports.roles import Needs
from sextant.serve.running import answering, open_porch
from sextant.settings import NO_MODEL, Settings
from sextant.spans import Tracer
from sextant.types import Scope


@dataclass(frozen=True, slots=True)
class Alone:
    """A server under way; the token is the local mode's."""

    url: str
    token: str


@dataclass(frozen=True, slots=True)
class Room:
    """What a server has: its tools, and how it serves them where that is not the usual way."""

    tools: Sequence[Tool]
    ready: Readiness
    tracer: Tracer | None
    serve: Callable[[Enter, VisitOf], Server[Any]] | None = None


OpenRoom = Callable[[AsyncExitStack, Settings], Awaitable[Room]]


def running_alone(
    settings: Settings, which: str, token: str = ""
) -> AbstractAsyncContextManager[Alone]:
    """Serve one of the three, by its name, until the block ends."""
    return running_room(settings, _ROOMS[which], token)


@asynccontextmanager
async def running_room(
    settings: Settings, open_room: OpenRoom, token: str = ""
) -> AsyncIterator[Alone]:
    """Serve what a room has, behind all guards, until the block ends."""
    check_way_in(settings)
    async with AsyncExitStack() as opened:
        listener = opened.enter_context(bound(settings.serve))
        porch = await opened.enter_async_context(open_porch(settings, token))
        room = await open_room(opened, settings)
        porch = replace(porch, tracer=room.tracer)
        if room.serve:
            server = room.serve(porch.enter, visit_of)
        else:
            server = mcp_server(room.tools, porch.enter, visit_of, tracer=room.tracer)
        door = mcp_door(porch, McpOverHttp(server, Needs(room.tools, porch.enter)))
        app = App(porch, [door], room.ready)
        url = await opened.enter_async_context(answering(app, settings.serve, listener))
        yield Alone(url, getattr(porch.identity, "token", ""))


async def _knowledge(opened: AsyncExitStack, settings: Settings) -> Room:
    sextant = await build.open_sextant(replace(settings, llm=NO_MODEL))
    await opened.enter_async_context(sextant)
    tools = (
        *knowledge_store.tools(sextant.store.index, Entries(sextant)),
        *knowledge_graph.tools(sextant.store),
    )
    return Room(tools, readiness_of(sextant, settings.serve.tenant), sextant.tracer)


async def _orchestration(opened: AsyncExitStack, settings: Settings) -> Room:
    models = await build.build_orchestration(settings)
    await opened.enter_async_context(models)
    ready = Readiness({"embedder": embedding(models.embedder)})
    return Room(orchestration.tools(models), ready, models.tracer)


async def _pipeline(opened: AsyncExitStack, settings: Settings) -> Room:
    line = await build.build_pipeline(settings)
    await opened.enter_async_context(line)
    return Room(pipeline.tools(line, settings), _peers_ready(line), line.tracer)


def _peers_ready(line: Pipeline) -> Readiness:
    """Return what tells whether both other servers answer."""
    scope = Scope(line.means.settings.serve.tenant)
    # Of a store that counts nothing, only a search tells that it is there.
    knowledge = Part(lambda: line.means.store.index.search(scope, Query("ready", k=1)))
    # It costs little to ask, and a server that is gone is to be seen at once.
    models = replace(embedding(line.means.embedder), fresh_s=FRESH_S)
    return Readiness({"knowledge_store": knowledge, "llm_orchestration": models})


_ROOMS = {
    "rag-pipeline": _pipeline,
    "knowledge-store": _knowledge,
    "llm-orchestration": _orchestration,
}
