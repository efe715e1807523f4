"""What changes knowledge, and who is known in it: documents in and out, names overruled.

Stands on the room that takes knowledge in, which is as large as all the rest: whoever only asks
imports neither.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from sextant.ask.model_steps.chat import Chat
from sextant.core.owners import hand_over
from sextant.core.wanted import Wanted
from sextant.core.whole import whole
from sextant.errors import Forbidden, InvalidInput
from sextant.ingest.embedding.flow import AT_FULL_SPEED, Pace, embed_waiting
from sextant.ingest.embedding.progress import Tell, Vectors
from sextant.ingest.evidence import identified, sentences
from sextant.ingest.exchange import Record, export
from sextant.ingest.flow import AS_USUAL, Finders, Options, ingest, room, source_rules
from sextant.ingest.isolate import Isolation, isolation_of
from sextant.ingest.keeping import overrule
from sextant.ingest.keeping.draft import is_listed, shown
from sextant.ingest.keeping.keep import Keeper
from sextant.ingest.keeping.lease import Sharing
from sextant.ingest.keeping.mandate import mandate_of
from sextant.ingest.model_extraction.cache import forget
from sextant.ingest.report import Emit, Report, ignore
from sextant.ingest.sources import Place, changes, place_of
from sextant.limits import check_ids, check_names
from sextant.ports import Embedder, Extractor, Store
from sextant.settings import MODEL_CHOICES, Settings
from sextant.spans import Tracer, span, traced
from sextant.text.names import name_key
from sextant.types import Entity, NameMatch, NameMode, Relation, Scope

__all__ = [
    "Curation",
    "Isolation",
    "Keeper",
    "Options",
    "Pace",
    "Record",
    "Report",
    "Tell",
    "Vectors",
    "isolation_of",
]

_NEAR = 0.8
"""How well a name has to fit to be what was meant: chosen, as one letter in five differs."""

_FURTHER = 10
"""So many times as many are looked at as are wanted: one in ten that prose brings is a name."""


LookUp = Callable[
    [Scope, Sequence[str], NameMode, int], Awaitable[Mapping[str, Sequence[NameMatch]]]
]


@dataclass(frozen=True, slots=True)
class Curation:
    """A store, and who keeps each tenant's documents in step."""

    store: Store
    embedder: Embedder
    settings: Settings
    extractor: Extractor | None
    chat: Chat | None
    tracer: Tracer | None
    keepers: dict[str, Keeper]
    isolation: Isolation | None
    """Processes that read on from one run to the next; without, each run has its own."""
    wanted: Wanted

    async def lookup(
        self, scope: Scope, names: Sequence[str], mode: NameMode, limit: int
    ) -> Mapping[str, Sequence[NameMatch]]:
        """Return for each name the entities that bear it.

        Whoever names one exactly finds whatever is called so; else only names are listed, not all
        words and identifiers that documents are linked by.
        """
        if mode == NameMode.EXACT:
            return await self._look_up_all(scope, names, mode, limit)
        most = max(limit, min(limit * _FURTHER, self.settings.limits.k))
        found = await self.store.graph.lookup(scope, names, mode, most)
        return {
            name: _shown([one for one in own if is_listed(one.entity)][:limit])
            for name, own in found.items()
        }

    async def _look_up_all(
        self, scope: Scope, names: Sequence[str], mode: NameMode, limit: int
    ) -> Mapping[str, Sequence[NameMatch]]:
        found = await self.store.graph.lookup(scope, names, mode, limit)
        return {name: _shown(own) for name, own in found.items()}

    async def entities(self, scope: Scope, entity_ids: Sequence[str]) -> Mapping[str, Entity]:
        """Return the entities that exist."""
        found = await self.store.graph.entities(scope, entity_ids)
        return {name: shown(entity) for name, entity in found.items()}

    async def find(self, scope: Scope, name: str, limit: int) -> Sequence[NameMatch]:
        """Return who is called so, then whose name starts so, holds it or is spelt nearly so.

        Where no name fits, what documents are linked by is looked at as well.
        """
        found = await self._find(scope, name, limit, self.lookup)
        return found or await self._find(scope, name, limit, self._look_up_all)

    async def _find(
        self, scope: Scope, name: str, limit: int, look_up: LookUp
    ) -> Sequence[NameMatch]:
        best: dict[str, NameMatch] = {}
        for mode in (NameMode.EXACT, NameMode.PREFIX, NameMode.WORD, NameMode.FUZZY):
            for match in (await look_up(scope, [name], mode, limit))[name]:
                best.setdefault(match.entity.id, match)
        return list(best.values())[:limit]

    async def known(self, scope: Scope, entity_ids: Sequence[str]) -> Mapping[str, Entity]:
        """Return all of these entities; of the first that is unknown, say who may be meant."""
        found = await self.entities(scope, entity_ids)
        for entity_id in entity_ids:
            if entity_id not in found:
                raise overrule.unknown(entity_id, await self._find_meant(scope, entity_id))
        return found

    async def _find_meant(self, scope: Scope, name: str) -> Entity | None:
        """Return whose name holds this one or is nearly spelt so, if there is any."""
        for match in await self.find(scope, name, 1):
            if match.score >= _NEAR or name_key(name) in name_key(match.matched):
                return match.entity
        return None

    async def sentences(self, scope: Scope, relations: Sequence[Relation]) -> Sequence[str]:
        """Return for each relation the sentence of its first evidence that says it, or nothing."""
        return await sentences(self.store, scope, relations)

    async def identified(self, scope: Scope, relations: Sequence[Relation]) -> Sequence[Relation]:
        """Return relations under the ids that their sources gave them, where one did."""
        return await identified(self.store, scope, relations)

    async def ingest(
        self, scope: Scope, sources: Sequence[str], options: Options | None, emit: Emit | None
    ) -> Report:
        """Take in folders, files, archives and sites."""
        if isinstance(sources, str):
            raise InvalidInput("The sources are one text.", "Pass a list, if only of one source.")
        places = [place_of(source) for source in sources]
        return await self._ingest(scope, places, options or AS_USUAL, emit)

    async def follow(
        self, scope: Scope, source: str, options: Options | None, emit: Emit | None
    ) -> AsyncIterator[Report]:
        """Take in a folder, and again whenever something in it changes or goes."""
        options = options or AS_USUAL
        if options.dry_run:
            raise InvalidInput("A dry run ends, following does not.", "Leave out one of the two.")
        place, options = place_of(source), replace(options, sync=True)
        async for _ in changes(place, source_rules(options, self.settings)):
            with traced(self.tracer), span("sextant.ingest"):
                report = await self._ingest(scope, [place], options, emit)
            yield report

    def export(self, scope: Scope, *, vectors: bool) -> AsyncIterator[Record]:
        """Yield everything as plain chunks, relations and entities."""
        embedder = self.embedder.identity.name if vectors else ""
        return export(self.store, scope, embedder=embedder)

    async def remove(
        self, scope: Scope, document_ids: Sequence[str], over: Mapping[str, str] | None
    ) -> int:
        """Delete documents that the scope sees, with all that they brought; return how many."""
        check_ids("document id", document_ids, self.settings.limits)
        if any(name.startswith(overrule.OVERRULES) for name in document_ids):
            raise InvalidInput(
                "What people said of names stays.", "Take it back with `sextant entities split`."
            )
        seen: Collection[str] = await self.store.truth.chunk_ids(scope, document_ids)
        if not scope.curates:
            over = {**(over or {}), **await self._own_versions(scope, seen)}
        keeper = self._keeper(scope)
        await keeper.open()  # what is gone already may still have to be settled
        removed = await keeper.remove(sorted(seen), over) if seen else 0
        await keeper.close()
        await forget(self.settings, scope.tenant, seen)
        return removed

    async def _own_versions(self, scope: Scope, document_ids: Collection[str]) -> dict[str, str]:
        """Return which versions a scope may delete, or refuse: others' documents are not its."""
        found = await self.store.truth.units(scope, sorted(document_ids))
        if not all(map(mandate_of(scope).owns, (unit.document for unit in found.values()))):
            raise Forbidden(
                "That document is somebody else's.",
                "Ask whoever brought it, or somebody with the role admin.",
            )
        return {name: unit.key for name, unit in found.items()}

    async def hand_over(self, scope: Scope, old: str, new: str) -> int:
        """Make all documents of one owner another's; return how many there were."""
        return await hand_over(self._keeper(scope), scope, old, new, self.settings.limits)

    async def alias(self, scope: Scope, entity_id: str, name: str) -> Entity:
        """Let a name belong to an entity for good."""
        return await self._overrule(scope, overrule.add_alias, (entity_id,), name)

    async def merge(self, scope: Scope, entity_id: str, into: str) -> Entity:
        """Let an entity be another one for good."""
        return await self._overrule(scope, overrule.merge, (entity_id, into), into)

    async def split(self, scope: Scope, entity_id: str, name: str) -> Entity:
        """Let a name, or a merged entity, stand for itself again."""
        return await self._overrule(scope, overrule.split, (entity_id,), name)

    async def _overrule(
        self,
        scope: Scope,
        verb: Callable[[Keeper, str, str], Awaitable[Entity]],
        entity_ids: Sequence[str],
        name: str,
    ) -> Entity:
        """Say something of names that the scope sees, one at a time."""
        check_names([name], NameMode.EXACT, 1, self.settings.limits)
        check_ids("entity id", entity_ids, self.settings.limits)
        await self.known(scope, entity_ids)
        keeper = self._keeper(scope)
        async with keeper.overruling():
            return shown(await verb(keeper, entity_ids[0], name))

    async def _ingest(
        self, scope: Scope, places: Sequence[Place], options: Options, emit: Emit | None
    ) -> Report:
        keeper, hear = self._keeper(scope), emit or ignore
        own = replace(options, owner=scope.user or "", curates=scope.curates)
        report = await ingest(
            keeper, places, own, self.settings, hear, self._finders, self.isolation
        )
        if not (options.dry_run or options.words_only):

            def tell(vectors: Vectors) -> None:
                report.vectors = vectors
                hear(report)

            with room():
                await self.embed_waiting(scope, tell, AT_FULL_SPEED)
        return report

    async def embed_waiting(self, scope: Scope, tell: Tell, pace: Pace) -> Vectors:
        """Embed all documents of a tenant that have no vectors yet, what was asked about first."""
        take = self.wanted.take
        return await embed_waiting(self._keeper(scope), self.embedder, tell, take, pace)

    @property
    def _finders(self) -> Finders:
        """Who finds names beside the patterns."""
        is_model = self.settings.ingest.extractor in MODEL_CHOICES
        return Finders(self.extractor, self.chat.model if self.chat and is_model else None)

    def _keeper(self, scope: Scope) -> Keeper:
        """Return who keeps a tenant's documents in step; names are linked across all it has."""
        if scope.tenant not in self.keepers:
            own = self.settings.ingest
            sharing = Sharing(own.turn_seconds, own.wait_seconds)
            self.keepers[scope.tenant] = Keeper(self.store, self.embedder, whole(scope), sharing)
        return self.keepers[scope.tenant]


def _shown(matches: Sequence[NameMatch]) -> list[NameMatch]:
    return [replace(one, entity=shown(one.entity)) for one in matches]
