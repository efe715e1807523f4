"""Names and edges, added up anew for every question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sextant import limits
from sextant.stores.memory import graph
from sextant.stores.memory.tenants import Tenants
from sextant.stores.memory.units import entities, entity_ids_of
from sextant.stores.memory.web import web_round
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


class MemoryGraph:
    """Entities by name, and who is next to whom."""

    abilities = PROMISES["graph"]

    def __init__(self, tenants: Tenants) -> None:
        self._tenants, self._limits = tenants, tenants.settings.limits

    async def lookup(
        self, scope: Scope, names: Sequence[str], mode: NameMode, limit: int = 10
    ) -> Mapping[str, Sequence[NameMatch]]:
        """Return for each name the entities that bear it, best first."""
        limits.check_names(names, mode, limit, self._limits)
        units = self._tenants.seen(scope)
        return {name: graph.look_up(units, name, mode, limit) for name in names}

    async def entities(self, scope: Scope, entity_ids: Sequence[str]) -> Mapping[str, Entity]:
        """Return those that some visible document defines."""
        limits.check_ids("entity id", entity_ids, self._limits)
        known = entities(self._tenants.seen(scope))
        return {name: known[name] for name in entity_ids if name in known}

    async def neighbours(
        self, scope: Scope, entity_ids: Sequence[str], walk: Walk
    ) -> Neighbourhood:
        """Follow edges from these entities."""
        limits.check_walk(entity_ids, walk, self._limits)
        return graph.walk_from(self._tenants.seen(scope), entity_ids, walk)

    async def web(
        self, scope: Scope, chunk_ids: Sequence[str], entity_ids: Sequence[str], reach: Reach
    ) -> Web:
        """Return who is mentioned where, round these chunks and entities."""
        limits.check_reach(chunk_ids, entity_ids, reach, self._limits)
        return web_round(self._tenants.seen(scope), chunk_ids, entity_ids, reach)

    async def mentioning(self, scope: Scope, entity_ids: Sequence[str]) -> Sequence[str]:
        """Return the documents that define, mention or relate any of these entities."""
        limits.check_ids("entity id", entity_ids, self._limits)
        wanted = set(entity_ids)
        return sorted(
            unit.document.id for unit in self._tenants.seen(scope) if entity_ids_of(unit) & wanted
        )
