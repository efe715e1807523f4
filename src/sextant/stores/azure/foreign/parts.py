"""The parts of a store over containers that somebody else fills: all of it reads only.

They hold the knowledge of one tenant, `serve.tenant`; every other one has none. Nothing in them is
of a commit, so the store is always at 0.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sextant import limits
from sextant.ports import Embedder, Progress
from sextant.settings import Settings
from sextant.stores.azure.cosmos.containers import Containers
from sextant.stores.azure.foreign.reading import ForeignReader, units_of
from sextant.stores.azure.refusals import read_only
from sextant.stores.definitions import has_any
from sextant.stores.dump import dump_lines
from sextant.stores.memory.graph import edges, look_up, walk_from
from sextant.stores.memory.units import definitions, entities
from sextant.stores.memory.web import web_round
from sextant.types import (
    Change,
    Changed,
    Counts,
    Definition,
    Document,
    Entity,
    NameMatch,
    NameMode,
    Neighbourhood,
    Passage,
    Put,
    Reach,
    Receipt,
    Relation,
    Scope,
    StoreAbility,
    StoreStatus,
    Unembedded,
    Walk,
    Web,
)

Close = Callable[[], Awaitable[None]]
_NONE: frozenset[StoreAbility] = frozenset()


class _Part:
    """What reads for the tenant whose knowledge it is."""

    abilities = _NONE

    def __init__(self, containers: Containers, settings: Settings) -> None:
        self._containers, self._settings = containers, settings
        self._reader, self._limits = ForeignReader(containers), settings.limits

    def _is_theirs(self, scope: Scope) -> bool:
        limits.check_scope(scope, self._limits)
        return scope.tenant == self._settings.serve.tenant


class ForeignTruth(_Part):
    """Documents as their chunks tell of them."""

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:  # noqa: ARG002
        """Refuse."""
        raise read_only()

    async def commit(self, scope: Scope) -> int:
        """Return 0: nobody numbers what others write."""
        self._is_theirs(scope)
        return 0

    async def changed(self, scope: Scope, since: int) -> Changed:  # noqa: ARG002
        """Refuse: nobody can say what others changed."""
        raise read_only()

    async def passages(self, scope: Scope, chunk_ids: Sequence[str]) -> Mapping[str, Passage]:
        """Return those that exist."""
        limits.check_ids("chunk id", chunk_ids, self._limits)
        if not self._is_theirs(scope):
            return {}
        return {one.chunk.id: one for one in await self._reader.passages(chunk_ids)}

    async def documents(
        self, scope: Scope, after: str = "", limit: int = 100
    ) -> Sequence[Document]:
        """List documents by id, from the first one after the given id."""
        limits.check_page(after, limit, self._limits)
        units = await self._units(scope)
        return [units[name].document for name in sorted(units) if name > after][:limit]

    async def chunk_ids(
        self, scope: Scope, document_ids: Sequence[str]
    ) -> Mapping[str, Sequence[str]]:
        """Return the chunk ids of each document that exists."""
        found = await self.units(scope, document_ids)
        return {name: [chunk.id for chunk in unit.chunks] for name, unit in found.items()}

    async def units(self, scope: Scope, document_ids: Sequence[str]) -> Mapping[str, Put]:
        """Return those that exist, without entities, relations and vectors."""
        limits.check_ids("document id", document_ids, self._limits)
        units = await self._units(scope)
        return {name: units[name] for name in document_ids if name in units}

    async def unembedded(
        self,
        scope: Scope,
        limit: int = 100,  # noqa: ARG002 - the port's
        but: Collection[str] = (),  # noqa: ARG002 - the port's
    ) -> Sequence[Unembedded]:
        """Return nothing: vectors of others' documents are for them to make."""
        self._is_theirs(scope)
        return []

    async def definitions(
        self,
        scope: Scope,
        after: str = "",
        limit: int = 1000,
        unless: Mapping[str, frozenset[str]] | None = None,
    ) -> Sequence[Definition]:
        """Return what is said of the next entities by id."""
        limits.check_page(after, limit, self._limits)
        limits.check_unless(unless, self._limits)
        if not self._is_theirs(scope):
            return []
        found = sorted(
            definitions([await self._reader.every_entity()]), key=lambda one: one.entity.id
        )
        kept = [one for one in found if not has_any(one.entity.metadata, unless or {})]
        return [one for one in kept if one.entity.id > after][:limit]

    async def counts(self, scope: Scope) -> Counts:
        """Count what there is."""
        units = await self._units(scope)
        if not units and not self._is_theirs(scope):
            return Counts()
        defined, related = (
            await self._reader.every_entity(),
            await self._reader.every_relation(),
        )
        chunks = sum(len(unit.chunks) for unit in units.values())
        return Counts(len(units), chunks, len(defined.entities), len(edges([related])))

    async def _units(self, scope: Scope) -> dict[str, Put]:
        return units_of(await self._reader.every_passage()) if self._is_theirs(scope) else {}


class ForeignGraph(_Part):
    """Entities by name, and who is next to whom."""

    async def lookup(
        self, scope: Scope, names: Sequence[str], mode: NameMode, limit: int = 10
    ) -> Mapping[str, Sequence[NameMatch]]:
        """Return for each name the entities that bear it, best first."""
        limits.check_names(names, mode, limit, self._limits)
        if not self._is_theirs(scope):
            return {name: [] for name in names}
        is_exact = mode == NameMode.EXACT
        found = await (self._reader.bearers(names) if is_exact else self._reader.every_entity())
        return {name: look_up([found], name, mode, limit) for name in names}

    async def entities(self, scope: Scope, entity_ids: Sequence[str]) -> Mapping[str, Entity]:
        """Return those that exist."""
        limits.check_ids("entity id", entity_ids, self._limits)
        if not self._is_theirs(scope):
            return {}
        known = entities([await self._reader.entities(entity_ids)])
        return {name: known[name] for name in entity_ids if name in known}

    async def neighbours(
        self, scope: Scope, entity_ids: Sequence[str], walk: Walk
    ) -> Neighbourhood:
        """Follow edges from these entities; a hop is one query more."""
        limits.check_walk(entity_ids, walk, self._limits)
        nodes, found = set(entity_ids), Neighbourhood(())
        for hops in range(1, walk.hops + 1) if self._is_theirs(scope) else ():
            unit = await self._reader.relations(nodes)
            found = walk_from([unit], entity_ids, replace(walk, hops=hops))
            nodes |= {end for link in found.links for end in _ends(link.relation)}
        return found

    async def web(
        self, scope: Scope, chunk_ids: Sequence[str], entity_ids: Sequence[str], reach: Reach
    ) -> Web:
        """Return who is mentioned where, round these chunks and entities."""
        limits.check_reach(chunk_ids, entity_ids, reach, self._limits)
        if not self._is_theirs(scope):
            return web_round([], chunk_ids, entity_ids, reach)
        known = await self._reader.passages(chunk_ids) if chunk_ids else []
        names = {*entity_ids, *_mentioned(known)}
        for _ in range(reach.hops):
            known = _each([*known, *await self._reader.mentions(names)])
            names |= set(_mentioned(known))
        known = _each([*known, *await self._reader.mentions(names)])
        return web_round(list(units_of(known).values()), chunk_ids, entity_ids, reach)

    async def mentioning(self, scope: Scope, entity_ids: Sequence[str]) -> Sequence[str]:
        """Return the documents that mention any of these entities, by id."""
        limits.check_ids("entity id", entity_ids, self._limits)
        if not self._is_theirs(scope):
            return []
        return sorted({one.document.id for one in await self._reader.mentions(entity_ids)})


class ForeignAdmin(_Part):
    """Says how much there is; what others fill is theirs to look after."""

    def __init__(
        self, containers: Containers, settings: Settings, close_index: Close | None = None
    ) -> None:
        super().__init__(containers, settings)
        self._close_index = close_index

    async def status(self, scope: Scope) -> StoreStatus:
        """Say how much there is."""
        counts = await ForeignTruth(self._containers, self._settings).counts(scope)
        language = self._settings.keyword.language
        return StoreStatus(scope.tenant, 0, counts, None, language)

    async def check(self, scope: Scope) -> Sequence[str]:
        """Nothing is derived here, so nothing can disagree."""
        self._is_theirs(scope)
        return []

    async def rebuild(
        self,
        scope: Scope,  # noqa: ARG002 - the port's
        embedder: Embedder | None = None,  # noqa: ARG002
        progress: Progress | None = None,  # noqa: ARG002
    ) -> None:
        """Refuse."""
        raise read_only()

    async def backup(self, target: Path, progress: Progress | None = None) -> int:  # noqa: ARG002
        """Refuse: whoever fills the containers makes the backups."""
        raise read_only()

    async def dump(self, scope: Scope) -> AsyncIterator[str]:
        """Yield the knowledge in a canonical form."""
        if self._is_theirs(scope):
            units = units_of(await self._reader.every_passage()).values()
            defined = await self._reader.every_entity()
            related = await self._reader.every_relation()
            for line in dump_lines(units, defined.entities, edges([related])):
                yield line

    async def tenants(self) -> Sequence[str]:
        """Name the tenant whose knowledge it is."""
        return [self._settings.serve.tenant]

    async def close(self) -> None:
        """Let go of both connections, whatever one of them says to it."""
        try:
            if self._close_index:
                await self._close_index()
        finally:
            await self._containers.close()


def _ends(relation: Relation) -> tuple[str, str]:
    return relation.source, relation.target


def _mentioned(passages: Sequence[Passage]) -> list[str]:
    return [name for one in passages for name in one.chunk.entity_ids]


def _each(passages: Sequence[Passage]) -> list[Passage]:
    return list({one.chunk.id: one for one in passages}.values())
