"""The store behind the ports, one dict per tenant."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sextant import limits
from sextant.errors import ConfigError, StoreClosed, StoreError
from sextant.limits import check_vectors
from sextant.ports import Embedder, Progress
from sextant.query import Query
from sextant.settings import Settings
from sextant.stores import refusals
from sextant.stores.definitions import has_any
from sextant.stores.dump import dump_lines, record_lines
from sextant.stores.memory import graph, search
from sextant.stores.memory.threads import ThreadDicts
from sextant.stores.memory.units import definitions, entities, named, settle, standings
from sextant.stores.memory.web import web_round
from sextant.stores.times import time_of_cursor
from sextant.text.embedding import embed_chunks
from sextant.text.passages import embeddables
from sextant.text.words import Words
from sextant.types import (
    Append,
    Change,
    Counts,
    Definition,
    Document,
    EmbedderIdentity,
    Entity,
    EntryRange,
    Facets,
    Feedback,
    Found,
    NameMatch,
    NameMode,
    Neighbourhood,
    Passage,
    Pieces,
    Put,
    Reach,
    Receipt,
    Remove,
    Scope,
    StoreStatus,
    Thread,
    ThreadEntry,
    ThreadSummary,
    Walk,
    Web,
)


async def open_store(
    rest: str,
    settings: Settings,
    identity: EmbedderIdentity | None,
    *,
    adopt: bool = False,  # noqa: ARG001 - a new store has nothing to adopt
) -> MemoryStore:
    """Open a new, empty store."""
    if rest:
        raise ConfigError("The memory store takes no folder.", "Write memory: alone.")
    return MemoryStore(settings, identity)


@dataclass
class _Tenant:
    """All that a tenant has."""

    commit: int = 0
    units: dict[str, Put] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    threads: ThreadDicts = field(default_factory=ThreadDicts)
    feedback: list[Feedback] = field(default_factory=list)


class MemoryStore:
    """Tenants in a dict; gone when the process is."""

    def __init__(self, settings: Settings, identity: EmbedderIdentity | None) -> None:
        self._settings, self._limits, self._identity = settings, settings.limits, identity
        self._words = Words(settings.keyword.language)
        self._tenants: dict[str, _Tenant] = {}
        self._closed = False

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        """Make all changes, or none of them, under one commit number."""
        tenant = self._tenant(scope)
        limits.check_changes(changes, self._limits)
        units = dict(tenant.units)
        tally = dict.fromkeys(("written", "unchanged", "removed", "missing"), 0)
        for change in changes:
            tally[_apply(units, change, self._width)] += 1
        _check_chunk_ids(units)
        if tally["written"] or tally["removed"]:
            tenant = self._tenants.setdefault(scope.tenant, tenant)
            tenant.units, tenant.commit = units, tenant.commit + 1
        return Receipt(tenant.commit, **tally)

    async def search(self, scope: Scope, query: Query) -> Found:
        """Find passages by words, by vector, by both, or by filter alone."""
        limits.check_query(query, self._limits)
        tenant = self._tenant(scope)
        if query.at_least > tenant.commit:
            raise refusals.commit_unknown(tenant.commit, query.at_least)
        units, keyword = self._seen(scope), self._settings.keyword
        return search.find(units, query, self._words, keyword, self._width, tenant.commit)

    async def passages(self, scope: Scope, chunk_ids: Sequence[str]) -> Mapping[str, Passage]:
        """Return those that exist."""
        limits.check_ids("chunk id", chunk_ids, self._limits)
        wanted = set(chunk_ids)
        found = (one for one in standings(self._seen(scope)) if one.chunk.id in wanted)
        return {one.chunk.id: one.passage for one in found}

    async def pieces(self, scope: Scope, versions: Mapping[str, str]) -> Mapping[str, Pieces]:
        """Return the vectors of the pieces of chunks that stand at these versions and have some."""
        limits.check_versions(versions, self._limits)
        seen = standings(self._seen(scope))
        found = (one for one in seen if versions.get(one.chunk.id) == one.unit.key)
        return {one.chunk.id: one.pieces for one in found if one.pieces is not None}

    async def documents(
        self, scope: Scope, after: str = "", limit: int = 100
    ) -> Sequence[Document]:
        """List documents by id, from the first one after the given id."""
        limits.check_page(after, limit, self._limits)
        seen = (unit.document for unit in self._seen(scope) if unit.document.id > after)
        return sorted(seen, key=lambda document: document.id)[:limit]

    async def chunk_ids(
        self, scope: Scope, document_ids: Sequence[str]
    ) -> Mapping[str, Sequence[str]]:
        """Return the chunk ids of each document that exists, in reading order."""
        limits.check_ids("document id", document_ids, self._limits)
        wanted = set(document_ids)
        units = (unit for unit in self._seen(scope) if unit.document.id in wanted)
        return {unit.document.id: [chunk.id for chunk in unit.chunks] for unit in units}

    async def counts(self, scope: Scope) -> Counts:
        """Count what there is."""
        units = self._seen(scope)
        chunks = sum(len(unit.chunks) for unit in units)
        return Counts(len(units), chunks, len(entities(units)), len(graph.edges(units)))

    async def facets(self, scope: Scope) -> Facets:
        """Return the tags and source types in use, and how many documents have each."""
        documents = [unit.document for unit in self._seen(scope)]
        tags = Counter(tag for document in documents for tag in document.tags)
        types = Counter(document.source_type for document in documents if document.source_type)
        return Facets(dict(tags), dict(types))

    async def lookup(
        self, scope: Scope, names: Sequence[str], mode: NameMode, limit: int = 10
    ) -> Mapping[str, Sequence[NameMatch]]:
        """Return for each name the entities that bear it, best first."""
        limits.check_names(names, mode, limit, self._limits)
        units = self._seen(scope)
        return {name: graph.look_up(units, name, mode, limit) for name in names}

    async def entities(self, scope: Scope, entity_ids: Sequence[str]) -> Mapping[str, Entity]:
        """Return those that some visible document defines."""
        limits.check_ids("entity id", entity_ids, self._limits)
        known = entities(self._seen(scope))
        return {name: known[name] for name in entity_ids if name in known}

    async def neighbours(
        self, scope: Scope, entity_ids: Sequence[str], walk: Walk
    ) -> Neighbourhood:
        """Follow edges from these entities."""
        limits.check_walk(entity_ids, walk, self._limits)
        return graph.walk_from(self._seen(scope), entity_ids, walk)

    async def web(
        self, scope: Scope, chunk_ids: Sequence[str], entity_ids: Sequence[str], reach: Reach
    ) -> Web:
        """Return who is mentioned where, round these chunks and entities."""
        limits.check_reach(chunk_ids, entity_ids, reach, self._limits)
        return web_round(self._seen(scope), chunk_ids, entity_ids, reach)

    async def units(self, scope: Scope, document_ids: Sequence[str]) -> Mapping[str, Put]:
        """Return those that exist, each as it could be written again."""
        limits.check_ids("document id", document_ids, self._limits)
        known = {unit.document.id: unit for unit in self._seen(scope)}
        return {name: known[name] for name in document_ids if name in known}

    async def definitions(
        self,
        scope: Scope,
        after: str = "",
        limit: int = 1000,
        unless: Mapping[str, frozenset[str]] | None = None,
    ) -> Sequence[Definition]:
        """Return what each document says of the next entities by id."""
        limits.check_page(after, limit, self._limits)
        limits.check_unless(unless, self._limits)
        units = sorted(self._seen(scope), key=lambda unit: unit.document.id)
        said = [
            one
            for one in definitions(units)
            if one.entity.id > after and not has_any(one.entity.metadata, unless or {})
        ]
        ids = set(sorted({one.entity.id for one in said})[:limit])
        kept = (one for one in said if one.entity.id in ids)
        return sorted(kept, key=lambda one: one.entity.id)

    async def holding(self, scope: Scope, texts: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return for each text the documents that have a chunk with all of its words."""
        limits.check_phrases(texts, self._limits)
        units, keyword = self._seen(scope), self._settings.keyword
        return {text: search.holding(units, text, self._words, keyword) for text in texts}

    async def mentioning(self, scope: Scope, entity_ids: Sequence[str]) -> Sequence[str]:
        """Return the documents that define, mention or relate any of these entities."""
        limits.check_ids("entity id", entity_ids, self._limits)
        wanted = set(entity_ids)
        return sorted(unit.document.id for unit in self._seen(scope) if named(unit) & wanted)

    async def count(self, scope: Scope, increments: Mapping[str, int]) -> Mapping[str, int]:
        """Add to counters, all or none, and return their new values."""
        limits.check_counters(increments, self._limits)
        counters = self._made(scope).counters
        totals = {name: counters.get(name, 0) + step for name, step in increments.items()}
        limits.check_totals(totals)
        counters |= totals
        return totals

    async def counters(self, scope: Scope, names: Sequence[str]) -> Mapping[str, int]:
        """Return the counters' values; one never counted is 0."""
        limits.check_ids("counter", names, self._limits)
        return {name: self._tenant(scope).counters.get(name, 0) for name in names}

    async def threads(self, scope: Scope, ids: Sequence[str]) -> Mapping[str, Thread]:
        """Return the user's threads that exist."""
        limits.check_ids("thread id", ids, self._limits)
        return self._tenant(scope).threads.read(scope.user or "", ids)

    async def save_thread(self, scope: Scope, thread: Thread) -> Thread:
        """Save state and title if the thread has the version that it carries, else Conflict."""
        limits.check_thread(thread, self._limits)
        return self._made(scope).threads.save(scope.user or "", thread, self._limits)

    async def append_entries(
        self, scope: Scope, appends: Sequence[Append]
    ) -> Sequence[ThreadSummary]:
        """Append to threads, all or none, and return how each of them stands then."""
        limits.check_appends(appends, self._limits)
        return self._made(scope).threads.append(scope.user or "", appends, self._limits)

    async def read_entries(
        self, scope: Scope, thread_id: str, part: EntryRange
    ) -> Sequence[ThreadEntry]:
        """Return a page of the user's thread by number."""
        limits.check_ids("thread id", [thread_id], self._limits)
        limits.check_entry_range(part, self._limits)
        return self._tenant(scope).threads.entries(scope.user or "", thread_id, part)

    async def list_threads(
        self, scope: Scope, prefix: str = "", after: str = "", limit: int = 100
    ) -> Sequence[ThreadSummary]:
        """List the user's threads whose ids start with a prefix, the last changed first."""
        limits.check_thread_page(prefix, after, limit, self._limits)
        before = time_of_cursor(after)
        return self._tenant(scope).threads.page(scope.user or "", prefix, before, limit)

    async def delete_threads(self, scope: Scope, ids: Sequence[str]) -> int:
        """Delete the user's threads with all that they hold, and return how many existed."""
        limits.check_ids("thread id", ids, self._limits)
        return self._tenant(scope).threads.delete(scope.user or "", ids)

    async def append_feedback(self, scope: Scope, items: Sequence[Feedback]) -> int:
        """Append, and return the number of the last item."""
        limits.check_feedback(items, self._limits)
        feedback = self._made(scope).feedback
        for item in items:
            feedback.append(replace(item, number=len(feedback) + 1))
        return len(feedback)

    async def feedback(self, scope: Scope, after: int = 0, limit: int = 100) -> Sequence[Feedback]:
        """Read on from a number."""
        limits.check_position(after, limit, self._limits)
        return self._tenant(scope).feedback[after:][:limit]

    async def commit(self, scope: Scope) -> int:
        """Return the number of the tenant's last commit; 0 before the first."""
        return self._tenant(scope).commit

    async def status(self, scope: Scope) -> StoreStatus:
        """Say how the tenant's store is."""
        commit, counts = self._tenant(scope).commit, await self.counts(scope)
        language = self._settings.keyword.language
        capabilities = ("graph", "keyword", "names", "rebuild", "vector")
        return StoreStatus(
            scope.tenant, commit, counts, self._identity, language, capabilities=capabilities
        )

    async def check(self, scope: Scope) -> Sequence[str]:
        """Nothing is derived, so nothing can disagree."""
        self._tenant(scope)
        return []

    async def rebuild(
        self, scope: Scope, embedder: Embedder | None = None, progress: Progress | None = None
    ) -> None:
        """Embed every chunk anew if an embedder is given."""
        tenant = self._tenant(scope)
        for at, unit in enumerate(tenant.units.values() if embedder else ()):
            if progress:
                progress("embedding", at, len(tenant.units))
            tenant.units[unit.document.id] = await _embedded(unit, embedder)
        if embedder:
            self._identity = embedder.identity
            tenant.commit += 1

    async def backup(
        self,
        target: Path,
        progress: Progress | None = None,  # noqa: ARG002 - the port's
    ) -> int:
        """Refuse: there is nothing that lasts."""
        raise StoreError(
            f"A store in memory cannot be backed up to {target.name}.", "Use a sqlite: store."
        )

    async def dump(self, scope: Scope) -> AsyncIterator[str]:
        """Yield the tenant's knowledge in a canonical form: equal stores give equal lines."""
        tenant, units = self._tenant(scope), self._seen(scope)
        for line in dump_lines(units, entities(units).values(), graph.edges(units)):
            yield line
        if scope.sees_all:
            own = tenant.threads
            kept = (tenant.counters, own.all_threads(), own.all_entries(), tenant.feedback)
            for line in record_lines(*kept):
                yield line

    async def tenants(self) -> Sequence[str]:
        """Name the tenants that have something stored."""
        return sorted(self._tenants)

    async def close(self) -> None:
        """Forget everything."""
        self._closed = True
        self._tenants.clear()

    @property
    def _width(self) -> int:
        return self._identity.width if self._identity else 0

    def _tenant(self, scope: Scope) -> _Tenant:
        if self._closed:
            raise StoreClosed("The store is closed.", "Open it again.")
        limits.check_scope(scope, self._limits)
        return self._tenants.get(scope.tenant) or _Tenant()

    def _made(self, scope: Scope) -> _Tenant:
        return self._tenants.setdefault(scope.tenant, self._tenant(scope))

    def _seen(self, scope: Scope) -> list[Put]:
        units = self._tenant(scope).units.values()
        return [unit for unit in units if scope.sees(unit.document)]


def _apply(units: dict[str, Put], change: Change, width: int) -> str:
    known = units.get(change.document_id)
    if change.over is not None and change.over != (known.key if known else ""):
        raise refusals.document_moved_on()
    if isinstance(change, Remove):
        return "missing" if units.pop(change.document_id, None) is None else "removed"
    unit = settle(change, width)
    if known is not None and known.key == unit.key:
        return "unchanged"
    units[unit.document.id] = unit
    return "written"


def _check_chunk_ids(units: Mapping[str, Put]) -> None:
    seen: set[str] = set()
    for unit in units.values():
        own = {chunk.id for chunk in unit.chunks}
        if not seen.isdisjoint(own):
            raise refusals.chunk_taken()
        seen |= own


async def _embedded(unit: Put, embedder: Embedder | None) -> Put:
    if embedder is None or not unit.chunks:
        return unit
    vectors, pieces = await embed_chunks(embedder, embeddables(unit))
    vectors = check_vectors(vectors, len(unit.chunks), embedder.identity.width)
    return replace(unit, vectors=vectors, pieces=pieces)
