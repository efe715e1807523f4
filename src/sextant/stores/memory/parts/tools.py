"""Tools in memory: brute force over dicts, the yardstick of every other engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sextant import limits
from sextant.stores.memory.tenants import Tenants
from sextant.stores.memory.tools import ToolDicts, tools_of
from sextant.stores.refusals import tool_unknown
from sextant.stores.tools.paths import MOST_USED, best_alternatives, without_doubles
from sextant.stores.tools.related import find_related, light_edge
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


class MemoryTools:
    """A tenant's tools, until the process ends."""

    def __init__(self, tenants: Tenants) -> None:
        self._tenants, self._limits = tenants, tenants.settings.limits

    async def state(self, scope: Scope) -> ToolState:
        """Return how often the tenant's tools changed."""
        return self._of(scope).state

    async def change_tools(self, scope: Scope, change: ToolChange) -> ToolState:
        """Do all of a change, or nothing."""
        limits.check_tool_change(change, self._limits)
        own = self._tenants.made(scope).tools
        new = {one.tool.id for one in change.puts} | own.tools.keys()
        limits.check_tool_room(len(new.difference(change.removed)), self._limits)
        own.change(change)
        return own.state

    async def read_tools(
        self, scope: Scope, after: str = "", limit: int = 1_000
    ) -> Sequence[StoredTool]:
        """Return a page of tools in the order of their ids."""
        limits.check_tool_page(after, limit, self._limits)
        return [one for name, one in self._of(scope).seen(scope).items() if name > after][:limit]

    async def tools(self, scope: Scope, ids: Sequence[str]) -> Mapping[str, StoredTool]:
        """Return those of these tools that exist."""
        limits.check_ids("tool id", ids, self._limits)
        seen = self._of(scope).seen(scope)
        return {name: seen[name] for name in ids if name in seen}

    async def relations(
        self, scope: Scope, ids: Sequence[str] | None = None
    ) -> Sequence[ToolRelation]:
        """Return the declared and imported relations, all or those of some tools, by their keys."""
        own = self._of(scope)
        hidden = own.tools.keys() - own.seen(scope)
        found = (one for _, one in sorted(own.relations.items()))
        return [
            one
            for one in found
            if hidden.isdisjoint((one.source, one.target))
            and (ids is None or one.source in ids or one.target in ids)
        ]

    async def categories(self, scope: Scope) -> Sequence[Category]:
        """Return the categories that were described, by name."""
        return [one for _, one in sorted(self._of(scope).categories.items())]

    async def record_uses(self, scope: Scope, uses: Sequence[ToolUse]) -> int:
        """Record sessions, all or none, and return how many of them are new."""
        limits.check_tool_uses(uses, self._limits)
        return self._tenants.made(scope).tools.record(uses)

    async def forget_uses(self, scope: Scope, ids: Sequence[str]) -> int:
        """Take sessions back with all that was counted of them; return how many existed."""
        limits.check_ids("id of a use", ids, self._limits)
        return self._of(scope).forget(ids)

    async def read_uses(
        self, scope: Scope, after: int = 0, limit: int = 1_000
    ) -> Sequence[ToolUse]:
        """Return a page of sessions in the order in which they came in."""
        limits.check_position(after, limit, self._limits)
        return [one for number, one in self._of(scope).uses.items() if number > after][:limit]

    async def keep_vectors(self, scope: Scope, vectors: Mapping[int, NDArray[np.float32]]) -> None:
        """Keep the vectors of requests by the numbers of their uses, as far as these exist."""
        uses = self._of(scope).uses
        for number, vector in vectors.items():
            if number in uses:
                uses[number] = replace(uses[number], vector=np.asarray(vector, np.float32))

    async def habits(self, scope: Scope) -> Habits:
        """Return all that was counted."""
        return self._of(scope).habits()

    async def add_usage(self, scope: Scope, increments: Mapping[str, int]) -> Mapping[str, int]:
        """Add to the usage of tools, all or none, and return their new usage, or raise NotFound."""
        limits.check_usage(increments, self._limits)
        own = self._of(scope)
        seen = own.seen(scope)
        for name in increments:
            if name not in seen:
                raise tool_unknown(name)
        for name, step in increments.items():
            one = own.tools[name]
            own.tools[name] = replace(one, tool=replace(one.tool, usage=one.tool.usage + step))
        return {name: seen[name].tool.usage + step for name, step in increments.items()}

    async def related(self, scope: Scope, query: RelatedQuery) -> RelatedTools:
        """Follow OFTEN_USED_WITH and DEPENDS_ON in both directions, two hops at most."""
        limits.check_related_query(query, self._limits)
        own = self._of(scope)
        seen = own.seen(scope)
        known = [tool for tool in query.tool_ids if tool in seen]
        chosen = find_related(query, known, lambda starts, _hop, _least: own.steps(starts, seen))
        relations = {light_edge(one): one for one in own.edges(seen)}
        return chosen.with_tools(query, known, tools_of(seen, chosen.tools), relations)

    async def alternatives(
        self,
        scope: Scope,
        tool_id: str,
        allowed_categories: frozenset[str] | None = None,
        limit: int = 10,
    ) -> Sequence[AlternativeTool]:
        """Return what can stand in for a tool, in either direction, the surest first."""
        limits.check_ids("tool id", [tool_id], self._limits)
        seen = self._of(scope).seen(scope)
        if tool_id not in seen:
            raise tool_unknown(tool_id)
        relations = await self.relations(scope, [tool_id])
        return best_alternatives(
            tool_id, relations, lambda ids: tools_of(seen, ids), allowed_categories, limit
        )

    async def tool_stats(self, scope: Scope) -> ToolStats:
        """Count what there is."""
        own = self._of(scope)
        seen = own.seen(scope)
        edges = without_doubles([*own.relations.values(), *own.edges(seen)])
        inside = [edge for edge in edges if edge.source in seen and edge.target in seen]
        used = sorted(((one.tool.usage, name) for name, one in seen.items()), key=_most_first)
        return ToolStats(
            len(seen),
            dict(sorted(Counter(one.tool.category for one in seen.values()).items())),
            dict(sorted(Counter(edge.kind.value for edge in inside).items())),
            len(own.uses),
            tuple((name, times) for times, name in used[:MOST_USED] if times),
        )

    async def close(self) -> None:
        """Nothing is open; the store forgets."""

    def _of(self, scope: Scope) -> ToolDicts:
        return self._tenants.tenant(scope).tools


def _most_first(one: tuple[int, str]) -> tuple[int, str]:
    return -one[0], one[1]
