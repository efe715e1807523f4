"""The knowledge of a store in another process, over MCP: for a question it is like any store.

A server of ours lists a tool for each thing that a question asks. Where one of them is not listed,
entries are found by the tools that every KnowledgeStore has; what these cannot tell, such as a
graph, is empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar, cast

import numpy as np

from sextant.links.entries.find import BY_FILTERS, BY_VECTOR, SERVER, EntryFinder
from sextant.links.entries.listed import find_tool
from sextant.links.mcp_caller import McpCaller
from sextant.query import Query
from sextant.text.codec.decode import item
from sextant.text.codec.encode import plain_of
from sextant.text.codec.remote import (
    Ids,
    Names,
    Round,
    Since,
    Steps,
    Versions,
    pieces_of,
    query_plain,
    web_of,
)
from sextant.types import (
    Entity,
    Facets,
    Feedback,
    Found,
    NameMatch,
    NameMode,
    Neighbourhood,
    Passage,
    Pieces,
    Reach,
    Scope,
    Thread,
    Walk,
    Web,
)

T = TypeVar("T")
_NONE = np.zeros(0, np.int64)
_NO_WEB = Web((), {}, _NONE, _NONE, _NONE.astype(np.bool_), _NONE, _NONE)


class McpKnowledge:
    """What a question needs of a store, asked of the tools of a KnowledgeStore server."""

    def __init__(self, caller: McpCaller) -> None:
        tools, entries = _Tools(caller), EntryFinder(caller)
        self.truth, self.index = McpPassages(tools, entries), McpIndex(tools, entries)
        self.graph, self.records = McpGraph(tools), McpRecords(tools)


class _Tools:
    """Asks the tools of a KnowledgeStore server, as whoever the scope names."""

    def __init__(self, caller: McpCaller) -> None:
        self._caller = caller

    async def has(self, tool: str) -> bool:
        """Whether to ask a tool of ours: the server lists it, or nothing that could stand in.

        A server of ours lists only what we may use, so what it hides is asked all the same: who
        lacks a role is to be told so.
        """
        listed = await self._caller.tools()
        if any(f"{SERVER}{sign}{name}" in listed for sign in "._" for name in (tool, "Search")):
            return True
        return not any(find_tool(listed, SERVER, name) for name in (BY_VECTOR, BY_FILTERS))

    async def ask(self, kind: type[T], tool: str, scope: Scope, asked: Mapping[str, Any]) -> T:
        """Return what a tool says as a value of this kind."""
        value = await self.value(tool, scope, asked)
        with self._caller.reading():
            return item(kind, value, "Value")

    async def value(self, tool: str, scope: Scope, asked: Mapping[str, Any]) -> object:
        """Return what a tool says, as it says it."""
        several = sorted(scope.personas)
        persona = {"PersonaIds": several} if len(several) > 1 else {"PersonaId": "".join(several)}
        whom = {"TenantId": scope.tenant, **persona, "UserId": scope.user}
        told = await self._caller.call(
            f"{SERVER}.{tool}",
            {**{name: own for name, own in whom.items() if own}, "Arguments": dict(asked)},
        )
        return cast("object", told.get("Value"))

    def reading(self) -> AbstractContextManager[None]:
        """Hold what reads a reply: what cannot be read is the server's fault."""
        return self._caller.reading()


class McpPassages:
    """Passages by id."""

    def __init__(self, tools: _Tools, entries: EntryFinder) -> None:
        self._tools, self._entries = tools, entries

    async def passages(self, scope: Scope, chunk_ids: Sequence[str]) -> Mapping[str, Passage]:
        """Return those that exist."""
        if not await self._tools.has("GetPassages"):
            return await self._entries.passages(scope, chunk_ids)
        ids = plain_of(Ids(tuple(chunk_ids)))
        return await self._tools.ask(dict[str, Passage], "GetPassages", scope, ids)


class McpIndex:
    """Passages by what they say."""

    def __init__(self, tools: _Tools, entries: EntryFinder) -> None:
        self._tools, self._entries = tools, entries

    async def search(self, scope: Scope, query: Query) -> Found:
        """Find passages by words, by vector, by both, or by filter alone."""
        if not await self._tools.has("Search"):
            return await self._entries.search(scope, query)
        return await self._tools.ask(Found, "Search", scope, query_plain(query))

    async def pieces(self, scope: Scope, versions: Mapping[str, str]) -> Mapping[str, Pieces]:
        """Return the vectors of the pieces of chunks that stand at these versions and have some."""
        if not await self._tools.has("GetPieces"):
            return {}
        value = await self._tools.value("GetPieces", scope, plain_of(Versions(dict(versions))))
        with self._tools.reading():
            return pieces_of(value)

    async def facets(self, scope: Scope) -> Facets:
        """Return the tags and source types in use, and how many documents have each."""
        if not await self._tools.has("GetFacets"):
            return Facets()
        return await self._tools.ask(Facets, "GetFacets", scope, {})


class McpGraph:
    """Names and edges."""

    def __init__(self, tools: _Tools) -> None:
        self._tools = tools

    async def lookup(
        self, scope: Scope, names: Sequence[str], mode: NameMode, limit: int = 10
    ) -> Mapping[str, Sequence[NameMatch]]:
        """Return for each name the entities that bear it, best first."""
        if not await self._tools.has("LookUpNames"):
            return dict.fromkeys(names, ())
        asked = plain_of(Names(tuple(names), mode, limit))
        kind = dict[str, tuple[NameMatch, ...]]
        return await self._tools.ask(kind, "LookUpNames", scope, asked)

    async def entities(self, scope: Scope, entity_ids: Sequence[str]) -> Mapping[str, Entity]:
        """Return those that some visible document defines."""
        if not await self._tools.has("GetEntities"):
            return {}
        ids = plain_of(Ids(tuple(entity_ids)))
        return await self._tools.ask(dict[str, Entity], "GetEntities", scope, ids)

    async def neighbours(
        self, scope: Scope, entity_ids: Sequence[str], walk: Walk
    ) -> Neighbourhood:
        """Follow edges from these entities."""
        if not await self._tools.has("GetNeighbours"):
            return Neighbourhood(())
        steps = plain_of(Steps(tuple(entity_ids), walk))
        return await self._tools.ask(Neighbourhood, "GetNeighbours", scope, steps)

    async def web(
        self, scope: Scope, chunk_ids: Sequence[str], entity_ids: Sequence[str], reach: Reach
    ) -> Web:
        """Return who is mentioned where, round these chunks and entities."""
        if not await self._tools.has("GetWeb"):
            return _NO_WEB
        asked = plain_of(Round(tuple(chunk_ids), tuple(entity_ids), reach))
        value = await self._tools.value("GetWeb", scope, asked)
        with self._tools.reading():
            return web_of(value)


class McpRecords:
    """What was counted, kept and said."""

    def __init__(self, tools: _Tools) -> None:
        self._tools = tools

    async def counters(self, scope: Scope, names: Sequence[str]) -> Mapping[str, int]:
        """Return the counters' values; one never counted is 0."""
        if not await self._tools.has("GetCounters"):
            return dict.fromkeys(names, 0)
        asked = plain_of(Ids(tuple(names)))
        return await self._tools.ask(dict[str, int], "GetCounters", scope, asked)

    async def threads(self, scope: Scope, ids: Sequence[str]) -> Mapping[str, Thread]:
        """Return the user's threads that exist."""
        if not await self._tools.has("GetThreads"):
            return {}
        asked = plain_of(Ids(tuple(ids)))
        return await self._tools.ask(dict[str, Thread], "GetThreads", scope, asked)

    async def feedback(self, scope: Scope, after: int = 0, limit: int = 100) -> Sequence[Feedback]:
        """Read on from a number."""
        if not await self._tools.has("GetFeedback"):
            return ()
        asked = plain_of(Since(after, limit))
        return await self._tools.ask(tuple[Feedback, ...], "GetFeedback", scope, asked)
