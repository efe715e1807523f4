"""``neo4j://host:port``: a tenant's tools in Neo4j, behind the port that the embedded store has."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sextant import limits
from sextant.settings import Settings
from sextant.stores.neo4j import catalogue, changes, paths, uses
from sextant.stores.neo4j.connection import Connection, open_connection
from sextant.stores.neo4j.state import read_state
from sextant.types import (
    AlternativeTool,
    Category,
    Habits,
    RelatedQuery,
    RelatedTools,
    Scope,
    StoredTool,
    ToolChange,
    ToolRelation,
    ToolState,
    ToolStats,
    ToolUse,
)

T = TypeVar("T")


class Neo4jToolGraph:
    """Each call is a transaction of its own."""

    def __init__(self, connection: Connection, bounds: limits.Limits) -> None:
        self._connection, self._limits = connection, bounds

    async def state(self, scope: Scope) -> ToolState:
        """Return how often the tenant's tools changed."""
        return await self._read(read_state, scope)

    async def change_tools(self, scope: Scope, change: ToolChange) -> ToolState:
        """Make all of a change durable, or nothing."""
        limits.check_tool_change(change, self._limits)
        return await self._write(changes.change_tools, scope, change, self._limits)

    async def read_tools(
        self, scope: Scope, after: str = "", limit: int = 1_000
    ) -> Sequence[StoredTool]:
        """Return a page of tools in the order of their ids, each with its usage."""
        limits.check_tool_page(after, limit, self._limits)
        return await self._read(catalogue.read_tools, scope, after, limit)

    async def tools(self, scope: Scope, ids: Sequence[str]) -> Mapping[str, StoredTool]:
        """Return those of these tools that exist."""
        limits.check_ids("tool id", ids, self._limits)
        return await self._read(catalogue.read_some, scope, ids)

    async def relations(
        self, scope: Scope, ids: Sequence[str] | None = None
    ) -> Sequence[ToolRelation]:
        """Return the declared and imported relations, all or those of some tools, by their keys."""
        limits.check_ids("tool id", ids or [], self._limits)
        return await self._read(catalogue.read_relations, scope, ids)

    async def categories(self, scope: Scope) -> Sequence[Category]:
        """Return the categories that were described, by name."""
        return await self._read(catalogue.read_categories, scope)

    async def record_uses(self, scope: Scope, sessions: Sequence[ToolUse]) -> int:
        """Record sessions, all or none, and return how many of them are new."""
        limits.check_tool_uses(sessions, self._limits)
        return await self._write(uses.record_uses, scope, sessions)

    async def forget_uses(self, scope: Scope, ids: Sequence[str]) -> int:
        """Take sessions back with all that was counted of them; return how many existed."""
        limits.check_ids("id of a use", ids, self._limits)
        return await self._write(uses.forget_uses, scope, ids)

    async def read_uses(
        self, scope: Scope, after: int = 0, limit: int = 1_000
    ) -> Sequence[ToolUse]:
        """Return a page of sessions in the order in which they came in."""
        limits.check_position(after, limit, self._limits)
        return await self._read(uses.read_uses, scope, after, limit)

    async def keep_vectors(self, scope: Scope, vectors: Mapping[int, NDArray[np.float32]]) -> None:
        """Keep the vectors of requests by the numbers of their uses, as far as these exist."""
        await self._write(uses.keep_vectors, scope, vectors)

    async def habits(self, scope: Scope) -> Habits:
        """Return all that was counted."""
        return await self._read(uses.read_habits, scope)

    async def add_usage(self, scope: Scope, increments: Mapping[str, int]) -> Mapping[str, int]:
        """Add to the usage of tools, all or none, and return their new usage, or raise NotFound."""
        limits.check_usage(increments, self._limits)
        return await self._write(changes.add_usage, scope, increments)

    async def related(self, scope: Scope, query: RelatedQuery) -> RelatedTools:
        """Follow OFTEN_USED_WITH and DEPENDS_ON in both directions, two hops at most."""
        limits.check_related_query(query, self._limits)
        return await self._read(paths.read_related, scope, query)

    async def alternatives(
        self,
        scope: Scope,
        tool_id: str,
        allowed_categories: frozenset[str] | None = None,
        limit: int = 10,
    ) -> Sequence[AlternativeTool]:
        """Return what can stand in for a tool, in either direction, the surest first."""
        limits.check_ids("tool id", [tool_id], self._limits)
        given = (tool_id, allowed_categories, limit)
        return await self._read(paths.read_alternatives, scope, *given)

    async def tool_stats(self, scope: Scope) -> ToolStats:
        """Count what there is."""
        return await self._read(paths.read_stats, scope)

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.close()

    async def _read(self, step: Callable[..., Awaitable[T]], scope: Scope, *given: object) -> T:
        return await self._connection.read(lambda transaction: step(transaction, scope, *given))

    async def _write(self, step: Callable[..., Awaitable[T]], scope: Scope, *given: object) -> T:
        return await self._connection.write(
            scope.tenant, lambda transaction: step(transaction, scope, *given)
        )


async def open_neo4j(rest: str, settings: Settings) -> Neo4jToolGraph:
    """Open the tools at ``neo4j:`` and what follows it: a server, or a cluster that it names."""
    return _open("neo4j", rest, settings)


async def open_secure_neo4j(rest: str, settings: Settings) -> Neo4jToolGraph:
    """Open the tools at ``neo4j+s:`` and what follows it, over TLS."""
    return _open("neo4j+s", rest, settings)


async def open_bolt(rest: str, settings: Settings) -> Neo4jToolGraph:
    """Open the tools at ``bolt:`` and what follows it: that very server."""
    return _open("bolt", rest, settings)


async def open_secure_bolt(rest: str, settings: Settings) -> Neo4jToolGraph:
    """Open the tools at ``bolt+s:`` and what follows it, over TLS."""
    return _open("bolt+s", rest, settings)


def _open(scheme: str, rest: str, settings: Settings) -> Neo4jToolGraph:
    return Neo4jToolGraph(open_connection(scheme, rest, settings.neo4j), settings.limits)
