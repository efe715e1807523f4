"""The server with every tool over one open Sextant: what a copilot sees where all runs in one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mcp.server.lowlevel import Server

from sextant.ask.rephrase import phrasings
from sextant.core import Sextant
from sextant.core.entries import Entries
from sextant.retrieval.link import link
from sextant.serve.mcp.calling import Enter
from sextant.serve.mcp.server import Library, VisitOf, mcp_server
from sextant.serve.mcp.tool import Tool
from sextant.serve.mcp.tools import graph, ingest, knowledge_store, orchestration, pipeline, toolbox
from sextant.types import Scope


def every_tool(sextant: Sextant, *, remembers: bool = True, store: str = "") -> Sequence[Tool]:
    """Return all tools."""

    async def known(scope: Scope, text: str) -> Sequence[str]:
        linked = await link(sextant.store, scope, text, None)
        entities = await sextant.store.graph.entities(scope, [one.entity_id for one in linked])
        return phrasings(text, linked, entities)

    return (
        *graph.tools(sextant, remembers=remembers, store=store),
        *pipeline.tools(sextant, sextant.settings),
        *knowledge_store.tools(sextant.store.index, Entries(sextant)),
        *ingest.tools(sextant),
        *orchestration.tools(sextant.orchestration, known),
        *(toolbox.tools(sextant.toolbox, remembers=remembers) if sextant.store.tools else ()),
    )


def whole_server(
    sextant: Sextant,
    enter: Enter,
    visit_of: VisitOf,
    *,
    portable_names: bool = False,
    remembers: bool = True,
    store: str = "",
) -> Server[Any]:
    """Return a server with all tools, the documents as resources, and prompts.

    Who may know which store it is, is told where there is nothing in it.
    """
    return mcp_server(
        every_tool(sextant, remembers=remembers, store=store),
        enter,
        visit_of,
        library=Library(sextant.store.truth, sextant),
        portable_names=portable_names,
        tracer=sextant.tracer,
    )
