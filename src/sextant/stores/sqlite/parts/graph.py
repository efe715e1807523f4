"""The graph of the embedded store: names and edges, in arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sextant import limits
from sextant.stores.arrays.graph.web import EMPTY
from sextant.stores.sqlite.reads import entities, graph
from sextant.stores.sqlite.reads.search import documents_mentioning
from sextant.stores.sqlite.tenants import OpenTenants
from sextant.types import (
    PROMISES,
    Entity,
    NameMatch,
    NameMode,
    Neighbourhood,
    Reach,
    Scope,
    Walk,
    Web,
)


class SqliteGraph:
    """Entities by name, and who is next to whom."""

    abilities = PROMISES["graph"]

    def __init__(self, house: OpenTenants) -> None:
        self._house, self._limits = house, house.limits

    async def lookup(
        self, scope: Scope, names: Sequence[str], mode: NameMode, limit: int = 10
    ) -> Mapping[str, Sequence[NameMatch]]:
        """Return for each name the entities that bear it, best first."""
        limits.check_names(names, mode, limit, self._limits)
        nothing: dict[str, list[NameMatch]] = {name: [] for name in names}
        return await self._house.from_snapshot(scope, nothing, graph.look_up, names, mode, limit)

    async def entities(self, scope: Scope, entity_ids: Sequence[str]) -> Mapping[str, Entity]:
        """Return those that some visible document defines."""
        limits.check_ids("entity id", entity_ids, self._limits)
        return await self._house.from_snapshot(scope, {}, entities.entities_by_id, entity_ids)

    async def neighbours(
        self, scope: Scope, entity_ids: Sequence[str], walk: Walk
    ) -> Neighbourhood:
        """Follow edges from these entities."""
        limits.check_walk(entity_ids, walk, self._limits)
        nowhere = Neighbourhood(())
        return await self._house.from_snapshot(scope, nowhere, graph.walk_from, entity_ids, walk)

    async def web(
        self, scope: Scope, chunk_ids: Sequence[str], entity_ids: Sequence[str], reach: Reach
    ) -> Web:
        """Return who is mentioned where, round these chunks and entities."""
        limits.check_reach(chunk_ids, entity_ids, reach, self._limits)
        seeds = (chunk_ids, entity_ids)
        return await self._house.from_snapshot(scope, EMPTY, graph.web_round, seeds, reach)

    async def mentioning(self, scope: Scope, entity_ids: Sequence[str]) -> Sequence[str]:
        """Return the documents that define any of these entities, or mention one."""
        limits.check_ids("entity id", entity_ids, self._limits)
        return await self._house.from_snapshot(scope, [], documents_mentioning, entity_ids)
