"""Names and edges by queries, each for all that one hop needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sextant import limits
from sextant.stores.azure.cosmos import finding
from sextant.stores.azure.cosmos.containers import Item
from sextant.stores.azure.cosmos.snapshot import Snapshot
from sextant.stores.azure.cosmos.tenants import Tenants
from sextant.stores.memory.graph import look_up, walk_from
from sextant.stores.memory.units import entities
from sextant.stores.memory.web import web_round
from sextant.text.names import normal_name
from sextant.types import (
    PROMISES,
    Entity,
    Link,
    NameMatch,
    NameMode,
    Neighbourhood,
    Put,
    Reach,
    Scope,
    StoreAbility,
    Walk,
    Web,
)


class CosmosGraph:
    """Entities by name, and who is next to whom."""

    def __init__(self, tenants: Tenants) -> None:
        self._tenants, self._limits = tenants, tenants.settings.limits
        is_late = tenants.settings.azure.fresh_seconds > 0
        self.abilities = PROMISES["graph"] - ({StoreAbility.READ_YOUR_WRITES} if is_late else set())

    async def lookup(
        self, scope: Scope, names: Sequence[str], mode: NameMode, limit: int = 10
    ) -> Mapping[str, Sequence[NameMatch]]:
        """Return for each name the entities that bear it, best first."""
        limits.check_names(names, mode, limit, self._limits)
        snapshot = await self._tenants.seen(scope)
        forms = {name: normal_name(name) for name in names}
        found = await finding.bearers(snapshot, sorted(set(forms.values()) - {""}), mode)
        return {
            name: look_up(finding.defining(_bearing(found, form, mode)), name, mode, limit)
            for name, form in forms.items()
        }

    async def entities(self, scope: Scope, entity_ids: Sequence[str]) -> Mapping[str, Entity]:
        """Return those that some visible document defines."""
        limits.check_ids("entity id", entity_ids, self._limits)
        snapshot = await self._tenants.seen(scope)
        known = entities(finding.defining(await finding.definitions(snapshot, entity_ids)))
        return {name: known[name] for name in entity_ids if name in known}

    async def neighbours(
        self, scope: Scope, entity_ids: Sequence[str], walk: Walk
    ) -> Neighbourhood:
        """Follow edges from these entities; a hop is one query more."""
        limits.check_walk(entity_ids, walk, self._limits)
        snapshot = await self._tenants.seen(scope)
        nodes, found = set(entity_ids), Neighbourhood(())
        for hops in range(1, walk.hops + 1):
            items = await finding.relations(snapshot, nodes)
            units = finding.relating(items)
            found = walk_from(units, entity_ids, replace(walk, hops=hops))
            if hops == 1:
                await finding.read_ahead(snapshot, items, found.links)
            nodes |= {end for link in found.links for end in _ends(link)}
        return found

    async def web(
        self, scope: Scope, chunk_ids: Sequence[str], entity_ids: Sequence[str], reach: Reach
    ) -> Web:
        """Return who is mentioned where, round these chunks and entities; a hop is a query more."""
        limits.check_reach(chunk_ids, entity_ids, reach, self._limits)
        snapshot = await self._tenants.seen(scope)
        seeds = await finding.chunks(snapshot, chunk_ids) if chunk_ids else []
        names = {*entity_ids, *(name for item in seeds for name in item["entityIds"])}
        units = await _mentioned(snapshot, seeds, names, reach.about)
        for hops in range(1, reach.hops + 1):
            held = set(web_round(units, chunk_ids, entity_ids, replace(reach, hops=hops)).chunk_ids)
            more = {
                name
                for unit in units
                for chunk in unit.chunks
                if chunk.id in held
                for name in chunk.entity_ids
            }
            if more <= names:
                break
            names |= more
            units = await _mentioned(snapshot, seeds, names, reach.about)
        return web_round(units, chunk_ids, entity_ids, reach)

    async def mentioning(self, scope: Scope, entity_ids: Sequence[str]) -> Sequence[str]:
        """Return the documents that define, mention or relate any of these entities."""
        limits.check_ids("entity id", entity_ids, self._limits)
        snapshot = await self._tenants.seen(scope)
        parts = await snapshot.run_all(
            [
                finding.definitions(snapshot, entity_ids),
                finding.relations(snapshot, entity_ids),
                finding.mentions(snapshot, entity_ids),
            ]
        )
        return sorted({item["documentId"] for part in parts for item in part})


async def _mentioned(
    snapshot: Snapshot, seeds: Sequence[Item], names: set[str], about: str
) -> list[Put]:
    """Return all chunks that mention some entities, and the seeds, as units."""
    items, abouts = await snapshot.run_all(
        [finding.mentions(snapshot, names), finding.subjects(snapshot, about, names)]
    )
    each = {item["id"]: item for item in (*seeds, *items)}
    return finding.mentioning(each.values(), abouts, about)


def _bearing(items: Sequence[Item], form: str, mode: NameMode) -> list[Item]:
    """Return the definitions of entities that bear a name; all where that is still to be seen."""
    if mode != NameMode.EXACT:
        return list(items)
    ids = {item["entityId"] for item in items if form in item["names"]}
    return [item for item in items if item["entityId"] in ids]


def _ends(link: Link) -> tuple[str, str]:
    return link.relation.source, link.relation.target
