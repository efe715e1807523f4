"""The embedded store behind the ports: checks what comes in, and asks whoever knows."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

from sextant import limits
from sextant.errors import ConfigError, NotAStore
from sextant.ports import Embedder, Progress
from sextant.query import Query
from sextant.settings import Settings
from sextant.stores.arrays.graph.web import EMPTY
from sextant.stores.arrays.sights.facets import facets
from sextant.stores.refusals import commit_unknown, document_moved_on
from sextant.stores.sqlite.household import Household
from sextant.stores.sqlite.reads import entities, graph, inspect, visible
from sextant.stores.sqlite.reads.search import (
    documents_holding,
    documents_mentioning,
    find,
    find_nothing,
)
from sextant.stores.sqlite.reads.visible import viewer_of
from sextant.stores.sqlite.tenant import Rules, Tenant
from sextant.stores.sqlite.truth import records
from sextant.stores.sqlite.truth.changes import write_changes
from sextant.stores.sqlite.truth.schema import typed_errors
from sextant.stores.sqlite.upkeep import backup
from sextant.stores.sqlite.upkeep.folder import claim, is_store, tenants_in
from sextant.stores.sqlite.upkeep.rebuild import rebuild
from sextant.text.words import Words
from sextant.types import (
    Change,
    Counts,
    Definition,
    Document,
    EmbedderIdentity,
    Entity,
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
    Walk,
    Web,
)

_PATIENCE = 3
"""How many times the flush size may wait for the arrays before writers wait with it."""


async def open_store(
    rest: str, settings: Settings, identity: EmbedderIdentity | None, *, adopt: bool = False
) -> SqliteStore:
    """Open the store in a folder, making it if need be."""
    if not rest:
        raise ConfigError("The sqlite store needs a folder.", "Write sqlite:FOLDER.")
    store = SqliteStore(_folder(rest), Rules(settings, identity, adopt))
    await store.open()
    return store


class SqliteStore:
    """A folder of databases, one per tenant, opened when first asked for."""

    def __init__(self, root: Path, rules: Rules) -> None:
        self._root, self._rules = root, rules
        self._limits = rules.settings.limits
        self._house = Household(root, rules)

    async def open(self) -> None:
        """Make the folder a store; who would adopt one must find one there."""
        if self._rules.adopt and not is_store(self._root):
            raise NotAStore(
                f"There is no store in {self._root}.",
                "Write something first, or name another: --store sqlite:FOLDER.",
            )
        await self._house.keep(claim, self._root)

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        """Make all changes durable, or none of them, under one commit number."""
        limits.check_scope(scope, self._limits)
        limits.check_changes(changes, self._limits)
        return await self._house.in_turn(scope.tenant, self._write, scope, changes)

    async def search(self, scope: Scope, query: Query) -> Found:
        """Find passages by words, by vector, by both, or by filter alone."""
        limits.check_query(query, self._limits)

        def task(tenant: Tenant) -> Found:
            return tenant.read(
                lambda connection, snapshot: find(
                    connection,
                    snapshot,
                    viewer_of(scope),
                    query,
                    tenant.analysis.words,
                    tenant.width,
                )
            )

        found = await self._house.read(scope, task, None) or self._find_nothing(query)
        if query.at_least > found.commit:
            raise commit_unknown(found.commit, query.at_least)
        return found

    async def passages(self, scope: Scope, chunk_ids: Sequence[str]) -> Mapping[str, Passage]:
        """Return those that exist."""
        limits.check_ids("chunk id", chunk_ids, self._limits)
        return await self._house.from_truth(scope, {}, visible.passages, scope, chunk_ids)

    async def pieces(self, scope: Scope, versions: Mapping[str, str]) -> Mapping[str, Pieces]:
        """Return the vectors of the pieces of chunks that stand at these versions and have some."""
        limits.check_versions(versions, self._limits)
        return await self._house.from_truth(scope, {}, visible.pieces, scope, versions)

    async def documents(
        self, scope: Scope, after: str = "", limit: int = 100
    ) -> Sequence[Document]:
        """List documents by id, from the first one after the given id."""
        limits.check_page(after, limit, self._limits)
        return await self._house.from_truth(scope, [], visible.page, scope, after, limit)

    async def chunk_ids(
        self, scope: Scope, document_ids: Sequence[str]
    ) -> Mapping[str, Sequence[str]]:
        """Return the chunk ids of each document that exists, in reading order."""
        limits.check_ids("document id", document_ids, self._limits)
        return await self._house.from_truth(scope, {}, visible.chunk_ids, scope, document_ids)

    async def counts(self, scope: Scope) -> Counts:
        """Count what there is."""
        return await self._house.from_sights(scope, Counts(), graph.count_all)

    async def facets(self, scope: Scope) -> Facets:
        """Return the tags and source types in use, and how many documents have each."""
        return await self._house.from_sights(scope, Facets(), facets)

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

    async def units(self, scope: Scope, document_ids: Sequence[str]) -> Mapping[str, Put]:
        """Return those that exist, each as it could be written again."""
        limits.check_ids("document id", document_ids, self._limits)
        return await self._house.from_truth(scope, {}, visible.units, scope, document_ids)

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
        given = (scope, after, limit, unless or {})
        return await self._house.from_truth(scope, [], visible.definitions, *given)

    async def holding(self, scope: Scope, texts: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return for each text the documents that have a chunk with all of its words."""
        limits.check_phrases(texts, self._limits)

        def task(tenant: Tenant) -> dict[str, list[str]]:
            return tenant.read(
                lambda connection, snapshot: documents_holding(
                    connection, snapshot, viewer_of(scope), texts, tenant.analysis.words
                )
            )

        return await self._house.read(scope, task, {text: [] for text in texts})

    async def mentioning(self, scope: Scope, entity_ids: Sequence[str]) -> Sequence[str]:
        """Return the documents that define any of these entities, or mention one."""
        limits.check_ids("entity id", entity_ids, self._limits)
        return await self._house.from_snapshot(scope, [], documents_mentioning, entity_ids)

    async def count(self, scope: Scope, increments: Mapping[str, int]) -> Mapping[str, int]:
        """Add to counters, all or none, and return their new values."""
        limits.check_counters(increments, self._limits)
        return await self._house.record(scope, records.add_counts, increments)

    async def counters(self, scope: Scope, names: Sequence[str]) -> Mapping[str, int]:
        """Return the counters' values; one never counted is 0."""
        limits.check_ids("counter", names, self._limits)
        nothing = dict.fromkeys(names, 0)
        return await self._house.from_truth(scope, nothing, records.read_counters, names)

    async def threads(self, scope: Scope, ids: Sequence[str]) -> Mapping[str, Thread]:
        """Return the user's threads that exist."""
        limits.check_scope(scope, self._limits)
        limits.check_ids("thread id", ids, self._limits)
        return await self._house.from_truth(scope, {}, records.read_threads, scope.user or "", ids)

    async def save_thread(self, scope: Scope, thread: Thread) -> Thread:
        """Save if nobody saved since the version that the thread carries, else raise Conflict."""
        limits.check_scope(scope, self._limits)
        limits.check_thread(thread, self._limits)
        return await self._house.record(scope, records.save_thread, scope.user or "", thread)

    async def append_feedback(self, scope: Scope, items: Sequence[Feedback]) -> int:
        """Append, and return the number of the last item."""
        limits.check_feedback(items, self._limits)
        return await self._house.record(scope, records.append_feedback, items)

    async def feedback(self, scope: Scope, after: int = 0, limit: int = 100) -> Sequence[Feedback]:
        """Read on from a number."""
        limits.check_position(after, limit, self._limits)
        return await self._house.from_truth(scope, [], records.read_feedback, after, limit)

    async def commit(self, scope: Scope) -> int:
        """Return the number of the tenant's last commit, whoever made it; 0 before the first."""

        def task(tenant: Tenant) -> int:
            return tenant.read(lambda _, snapshot: snapshot.commit)

        return await self._house.read(scope, task, 0)

    async def status(self, scope: Scope) -> StoreStatus:
        """Say how the tenant's store is."""

        def task(tenant: Tenant) -> StoreStatus:
            return inspect.status(
                tenant, viewer_of(scope), self._house.opened(tenant.name)[1].problem
            )

        nothing = StoreStatus(
            scope.tenant,
            0,
            Counts(),
            None,
            self._rules.settings.keyword.language,
            capabilities=inspect.CAPABILITIES,
        )
        return await self._house.read(scope, task, nothing)

    async def check(self, scope: Scope) -> Sequence[str]:
        """Compare the derived indexes with the truth and name every disagreement."""
        return await self._house.read(scope, inspect.check, [])

    async def rebuild(
        self, scope: Scope, embedder: Embedder | None = None, progress: Progress | None = None
    ) -> None:
        """Derive the indexes anew from the truth, with new vectors if an embedder is given."""
        tenant = await self._house.keep(self._house.existing, scope.tenant)
        if tenant is not None:
            work = rebuild(tenant, self._house.keep, embedder, progress)
            await self._house.at_length(work)

    async def backup(self, target: Path, progress: Progress | None = None) -> int:
        """Write all tenants to one file while the store is in use, and return its size."""
        return await self._house.keep(backup.backup, self._root, target, progress)

    async def dump(self, scope: Scope) -> AsyncIterator[str]:
        """Yield the tenant's knowledge in a canonical form: equal stores give equal lines."""

        def task(tenant: Tenant) -> list[str]:
            return tenant.read(
                lambda connection, snapshot: list(inspect.dump(connection, snapshot, scope))
            )

        nothing: list[str] = []
        for line in await self._house.read(scope, task, nothing):
            yield line

    async def tenants(self) -> Sequence[str]:
        """Name the tenants that have something stored."""
        return list(await self._house.keep(tenants_in, self._root))

    async def close(self) -> None:
        """Let go of everything; what was acknowledged is safe already."""
        await self._house.close()

    def _write(self, scope: Scope, changes: Sequence[Change], since: float) -> Receipt:
        if self._house.existing(scope.tenant) is None and all(
            isinstance(one, Remove) for one in changes
        ):
            if any(one.over for one in changes):
                raise document_moved_on()
            return Receipt(0, missing=len(changes))
        tenant, caretaker = self._house.opened(scope.tenant)
        with tenant.write(since) as connection:
            receipt, tail = write_changes(connection, changes, tenant.width)
        caretaker.waiting = tail
        caretaker.changed += receipt.written + receipt.removed
        flush = self._rules.settings.sqlite.flush_chunks
        if tail >= flush or caretaker.changed >= flush:
            caretaker.changed = 0
            asked = caretaker.wake()
            if tail >= _PATIENCE * flush:
                caretaker.wait(asked, self._rules.settings.sqlite.wait_seconds)
        return receipt

    def _find_nothing(self, query: Query) -> Found:
        identity, keyword = self._rules.identity, self._rules.settings.keyword
        return find_nothing(query, Words(keyword.language), identity.width if identity else 0)


def _folder(rest: str) -> Path:
    return Path(rest).expanduser()


def restore_store(source: Path, root: Path, progress: Progress | None = None) -> list[str]:
    """Make a new store from a backup, and name its tenants."""
    with typed_errors():
        return backup.restore(source, root.expanduser(), progress)
