"""A tenant's tools in SQLite, beside its knowledge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sextant import limits
from sextant.stores.refusals import tool_unknown
from sextant.stores.sqlite.tenants import OpenTenants
from sextant.stores.sqlite.tools import catalogue, paths, related, uses
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


class SqliteTools:
    """Each call is a transaction of its own."""

    def __init__(self, house: OpenTenants) -> None:
        self._house, self._limits = house, house.limits

    async def state(self, scope: Scope) -> ToolState:
        """Return how often the tenant's tools changed."""
        return await self._house.from_truth(scope, ToolState(), catalogue.read_state)

    async def change_tools(self, scope: Scope, change: ToolChange) -> ToolState:
        """Make all of a change durable, or nothing."""
        limits.check_tool_change(change, self._limits)
        return await self._house.record(scope, catalogue.change_tools, change, self._limits)

    async def read_tools(
        self, scope: Scope, after: str = "", limit: int = 1_000
    ) -> Sequence[StoredTool]:
        """Return a page of tools in the order of their ids, each with its usage."""
        limits.check_tool_page(after, limit, self._limits)
        return await self._house.from_truth(scope, [], catalogue.read_tools, scope, after, limit)

    async def tools(self, scope: Scope, ids: Sequence[str]) -> Mapping[str, StoredTool]:
        """Return those of these tools that exist."""
        limits.check_ids("tool id", ids, self._limits)
        return await self._house.from_truth(scope, {}, catalogue.read_some, scope, ids)

    async def relations(
        self, scope: Scope, ids: Sequence[str] | None = None
    ) -> Sequence[ToolRelation]:
        """Return the declared and imported relations, all or those of some tools, by their keys."""
        limits.check_ids("tool id", ids or [], self._limits)
        return await self._house.from_truth(scope, [], catalogue.read_relations, scope, ids)

    async def categories(self, scope: Scope) -> Sequence[Category]:
        """Return the categories that were described, by name."""
        return await self._house.from_truth(scope, [], catalogue.read_categories)

    async def record_uses(self, scope: Scope, sessions: Sequence[ToolUse]) -> int:
        """Record sessions, all or none, and return how many of them are new."""
        limits.check_tool_uses(sessions, self._limits)
        return await self._house.record(scope, uses.record_uses, sessions)

    async def forget_uses(self, scope: Scope, ids: Sequence[str]) -> int:
        """Take sessions back with all that was counted of them; return how many existed."""
        limits.check_ids("id of a use", ids, self._limits)
        if await self.state(scope) == ToolState():
            return 0  # so that a tenant which does not exist is not made
        return await self._house.record(scope, uses.forget_uses, ids)

    async def read_uses(
        self, scope: Scope, after: int = 0, limit: int = 1_000
    ) -> Sequence[ToolUse]:
        """Return a page of sessions in the order in which they came in."""
        limits.check_position(after, limit, self._limits)
        return await self._house.from_truth(scope, [], uses.read_uses, after, limit)

    async def keep_vectors(self, scope: Scope, vectors: Mapping[int, NDArray[np.float32]]) -> None:
        """Keep the vectors of requests by the numbers of their uses, as far as these exist."""
        if vectors and await self.state(scope) != ToolState():
            await self._house.record(scope, uses.keep_vectors, vectors)

    async def habits(self, scope: Scope) -> Habits:
        """Return all that was counted."""
        return await self._house.from_truth(scope, Habits(), uses.read_habits)

    async def add_usage(self, scope: Scope, increments: Mapping[str, int]) -> Mapping[str, int]:
        """Add to the usage of tools, all or none, and return their new usage, or raise NotFound."""
        limits.check_usage(increments, self._limits)
        if increments and await self.state(scope) == ToolState():
            raise tool_unknown(next(iter(increments)))
        return await self._house.record(scope, catalogue.add_usage, scope, increments)

    async def related(self, scope: Scope, query: RelatedQuery) -> RelatedTools:
        """Follow OFTEN_USED_WITH and DEPENDS_ON in both directions, two hops at most."""
        limits.check_related_query(query, self._limits)
        nothing = RelatedTools(unknown=tuple(dict.fromkeys(query.tool_ids)))
        return await self._house.from_truth(scope, nothing, related.read_related, scope, query)

    async def alternatives(
        self,
        scope: Scope,
        tool_id: str,
        allowed_categories: frozenset[str] | None = None,
        limit: int = 10,
    ) -> Sequence[AlternativeTool]:
        """Return what can stand in for a tool, in either direction, the surest first."""
        limits.check_ids("tool id", [tool_id], self._limits)
        given = (scope, tool_id, allowed_categories, limit)
        found = await self._house.from_truth(scope, None, paths.read_alternatives, *given)
        if found is None:
            raise tool_unknown(tool_id)
        return found

    async def tool_stats(self, scope: Scope) -> ToolStats:
        """Count what there is."""
        return await self._house.from_truth(scope, ToolStats(), paths.read_stats, scope)

    async def close(self) -> None:
        """Nothing of its own is open; the store closes its tenants."""
