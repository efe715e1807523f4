"""The embedded store behind the ports. Decodes the scope, runs blocking work off the event loop."""

from __future__ import annotations

import asyncio
import functools
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from sextant import limits
from sextant.errors import ConfigError, NotAStore, StoreClosed
from sextant.ports import Embedder, Progress
from sextant.query import Query
from sextant.settings import Settings
from sextant.stores.arrays.facets import facets
from sextant.stores.arrays.web import EMPTY
from sextant.stores.refusals import commit_unknown, document_moved_on
from sextant.stores.sqlite import backup, entities, graph, inspect, records, rows
from sextant.stores.sqlite.folder import claim, is_store, speaking_of, tenants_in
from sextant.stores.sqlite.maintain import Caretaker
from sextant.stores.sqlite.rebuild import rebuild
from sextant.stores.sqlite.schema import typed_errors
from sextant.stores.sqlite.search import (
    documents_holding,
    documents_mentioning,
    find,
    find_nothing,
)
from sextant.stores.sqlite.tenant import Rules, Tenant, tenant_folder
from sextant.stores.sqlite.threads import Threads
from sextant.stores.sqlite.truth import write_changes
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

T = TypeVar("T")
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
        self._tenants: dict[str, tuple[Tenant, Caretaker]] = {}
        self._opening = threading.Lock()
        readers = rules.settings.sqlite.readers
        self._readers = Threads(readers, "sextant-read")
        self._keepers = ThreadPoolExecutor(readers, thread_name_prefix="sextant-keep")
        self._writers: dict[str, ThreadPoolExecutor] = {}
        self._closed = False

    async def open(self) -> None:
        """Make the folder a store; who would adopt one must find one there."""
        if self._rules.adopt and not is_store(self._root):
            raise NotAStore(
                f"There is no store in {self._root}.",
                "Write something first, or name another: --store sqlite:FOLDER.",
            )
        await self._run(self._keepers, claim, self._root)

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        """Make all changes durable, or none of them, under one commit number."""
        limits.check_scope(scope, self._limits)
        limits.check_changes(changes, self._limits)
        asked = time.monotonic()
        return await self._run(self._writer(scope.tenant), self._write, scope, changes, asked)

    async def search(self, scope: Scope, query: Query) -> Found:
        """Find passages by words, by vector, by both, or by filter alone."""
        limits.check_query(query, self._limits)

        def task(tenant: Tenant) -> Found:
            return tenant.read(
                lambda connection, snapshot: find(
                    connection,
                    snapshot,
                    inspect.persona_of(scope),
                    query,
                    tenant.analysis.words,
                    tenant.width,
                )
            )

        found = await self._read(scope, task, None) or self._find_nothing(query)
        if query.at_least > found.commit:
            raise commit_unknown(found.commit, query.at_least)
        return found

    async def passages(self, scope: Scope, chunk_ids: Sequence[str]) -> Mapping[str, Passage]:
        """Return those that exist."""
        limits.check_ids("chunk id", chunk_ids, self._limits)

        def task(tenant: Tenant) -> dict[str, Passage]:
            with tenant.truth() as connection:
                found = rows.passages_by_id(connection, chunk_ids)
            return {name: one for name, one in found.items() if scope.sees(one.document)}

        return await self._read(scope, task, {})

    async def pieces(self, scope: Scope, versions: Mapping[str, str]) -> Mapping[str, Pieces]:
        """Return the vectors of the pieces of chunks that stand at these versions and have some."""
        limits.check_ids("chunk id", list(versions), self._limits)

        def task(tenant: Tenant) -> dict[str, Pieces]:
            with tenant.truth() as connection:
                found = rows.pieces_at(connection, versions)
            return {name: own for name, (one, own) in found.items() if scope.sees(one)}

        return await self._read(scope, task, {})

    async def documents(
        self, scope: Scope, after: str = "", limit: int = 100
    ) -> Sequence[Document]:
        """List documents by id, from the first one after the given id."""
        limits.check_page(after, limit, self._limits)

        def task(tenant: Tenant) -> list[Document]:
            with tenant.truth() as connection:
                return inspect.page(connection, scope, after, limit)

        return await self._read(scope, task, [])

    async def chunk_ids(
        self, scope: Scope, document_ids: Sequence[str]
    ) -> Mapping[str, Sequence[str]]:
        """Return the chunk ids of each document that exists, in reading order."""
        limits.check_ids("document id", document_ids, self._limits)

        def task(tenant: Tenant) -> dict[str, list[str]]:
            with tenant.truth() as connection:
                found = rows.chunk_ids(connection, document_ids)
            return {name: ids for name, (one, ids) in found.items() if scope.sees(one)}

        return await self._read(scope, task, {})

    async def counts(self, scope: Scope) -> Counts:
        """Count what there is."""

        def task(tenant: Tenant) -> Counts:
            return tenant.read(
                lambda _, snapshot: graph.count_all(snapshot, inspect.persona_of(scope))
            )

        return await self._read(scope, task, Counts())

    async def facets(self, scope: Scope) -> Facets:
        """Return the tags and source types in use, and how many documents have each."""

        def task(tenant: Tenant) -> Facets:
            return tenant.read(
                lambda _, snapshot: facets(snapshot.sights(inspect.persona_of(scope)))
            )

        return await self._read(scope, task, Facets())

    async def lookup(
        self, scope: Scope, names: Sequence[str], mode: NameMode, limit: int = 10
    ) -> Mapping[str, Sequence[NameMatch]]:
        """Return for each name the entities that bear it, best first."""
        limits.check_names(names, mode, limit, self._limits)

        def task(tenant: Tenant) -> dict[str, list[NameMatch]]:
            return tenant.read(
                lambda connection, snapshot: graph.look_up(
                    connection, snapshot, inspect.persona_of(scope), names, mode, limit
                )
            )

        return await self._read(scope, task, {name: [] for name in names})

    async def entities(self, scope: Scope, entity_ids: Sequence[str]) -> Mapping[str, Entity]:
        """Return those that some visible document defines."""
        limits.check_ids("entity id", entity_ids, self._limits)

        def task(tenant: Tenant) -> dict[str, Entity]:
            return tenant.read(
                lambda connection, snapshot: entities.entities_by_id(
                    connection, snapshot, inspect.persona_of(scope), entity_ids
                )
            )

        return await self._read(scope, task, {})

    async def neighbours(
        self, scope: Scope, entity_ids: Sequence[str], walk: Walk
    ) -> Neighbourhood:
        """Follow edges from these entities."""
        limits.check_walk(entity_ids, walk, self._limits)

        def task(tenant: Tenant) -> Neighbourhood:
            return tenant.read(
                lambda connection, snapshot: graph.walk_from(
                    connection, snapshot, inspect.persona_of(scope), entity_ids, walk
                )
            )

        return await self._read(scope, task, Neighbourhood(()))

    async def web(
        self, scope: Scope, chunk_ids: Sequence[str], entity_ids: Sequence[str], reach: Reach
    ) -> Web:
        """Return who is mentioned where, round these chunks and entities."""
        limits.check_reach(chunk_ids, entity_ids, reach, self._limits)

        def task(tenant: Tenant) -> Web:
            return tenant.read(
                lambda connection, snapshot: graph.web_round(
                    connection, snapshot, inspect.persona_of(scope), (chunk_ids, entity_ids), reach
                )
            )

        return await self._read(scope, task, EMPTY)

    async def units(self, scope: Scope, document_ids: Sequence[str]) -> Mapping[str, Put]:
        """Return those that exist, each as it could be written again."""
        limits.check_ids("document id", document_ids, self._limits)

        def task(tenant: Tenant) -> dict[str, Put]:
            with tenant.truth() as connection:
                known = rows.document_numbers(connection, document_ids)
                found = {name: rows.unit(connection, name) for name in known}
            return {name: one for name, one in found.items() if scope.sees(one.document)}

        return await self._read(scope, task, {})

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

        def task(tenant: Tenant) -> list[Definition]:
            persona = inspect.persona_of(scope)
            with tenant.truth() as connection:
                return entities.definitions_page(connection, persona, after, limit, unless or {})

        return await self._read(scope, task, [])

    async def holding(self, scope: Scope, texts: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return for each text the documents that have a chunk with all of its words."""
        limits.check_phrases(texts, self._limits)

        def task(tenant: Tenant) -> dict[str, list[str]]:
            return tenant.read(
                lambda connection, snapshot: documents_holding(
                    connection, snapshot, inspect.persona_of(scope), texts, tenant.analysis.words
                )
            )

        return await self._read(scope, task, {text: [] for text in texts})

    async def mentioning(self, scope: Scope, entity_ids: Sequence[str]) -> Sequence[str]:
        """Return the documents that define any of these entities, or mention one."""
        limits.check_ids("entity id", entity_ids, self._limits)

        def task(tenant: Tenant) -> list[str]:
            return tenant.read(
                lambda connection, snapshot: documents_mentioning(
                    connection, snapshot, inspect.persona_of(scope), entity_ids
                )
            )

        return await self._read(scope, task, [])

    async def count(self, scope: Scope, increments: Mapping[str, int]) -> Mapping[str, int]:
        """Add to counters, all or none, and return their new values."""
        limits.check_counters(increments, self._limits)
        return await self._record(scope, records.add_counts, increments)

    async def counters(self, scope: Scope, names: Sequence[str]) -> Mapping[str, int]:
        """Return the counters' values; one never counted is 0."""
        limits.check_ids("counter", names, self._limits)

        def task(tenant: Tenant) -> dict[str, int]:
            with tenant.truth() as connection:
                return records.read_counters(connection, names)

        return await self._read(scope, task, dict.fromkeys(names, 0))

    async def threads(self, scope: Scope, ids: Sequence[str]) -> Mapping[str, Thread]:
        """Return the user's threads that exist."""
        limits.check_ids("thread id", ids, self._limits)

        def task(tenant: Tenant) -> dict[str, Thread]:
            with tenant.truth() as connection:
                return records.read_threads(connection, scope.user or "", ids)

        return await self._read(scope, task, {})

    async def save_thread(self, scope: Scope, thread: Thread) -> Thread:
        """Save if nobody saved since the version that the thread carries, else raise Conflict."""
        limits.check_thread(thread, self._limits)
        return await self._record(scope, records.save_thread, scope.user or "", thread)

    async def append_feedback(self, scope: Scope, items: Sequence[Feedback]) -> int:
        """Append, and return the number of the last item."""
        limits.check_feedback(items, self._limits)
        return await self._record(scope, records.append_feedback, items)

    async def feedback(self, scope: Scope, after: int = 0, limit: int = 100) -> Sequence[Feedback]:
        """Read on from a number."""
        limits.check_position(after, limit, self._limits)

        def task(tenant: Tenant) -> list[Feedback]:
            with tenant.truth() as connection:
                return records.read_feedback(connection, after, limit)

        return await self._read(scope, task, [])

    async def commit(self, scope: Scope) -> int:
        """Return the number of the tenant's last commit, whoever made it; 0 before the first."""

        def task(tenant: Tenant) -> int:
            return tenant.read(lambda _, snapshot: snapshot.commit)

        return await self._read(scope, task, 0)

    async def status(self, scope: Scope) -> StoreStatus:
        """Say how the tenant's store is."""

        def task(tenant: Tenant) -> StoreStatus:
            return inspect.status(
                tenant, inspect.persona_of(scope), self._tenants[tenant.name][1].problem
            )

        nothing = StoreStatus(
            scope.tenant,
            0,
            Counts(),
            None,
            self._rules.settings.keyword.language,
            capabilities=inspect.CAPABILITIES,
        )
        return await self._read(scope, task, nothing)

    async def check(self, scope: Scope) -> Sequence[str]:
        """Compare the derived indexes with the truth and name every disagreement."""
        return await self._read(scope, inspect.check, [])

    async def rebuild(
        self, scope: Scope, embedder: Embedder | None = None, progress: Progress | None = None
    ) -> None:
        """Derive the indexes anew from the truth, with new vectors if an embedder is given."""
        tenant = await self._run(self._keepers, self._existing, scope.tenant)
        if tenant is not None:
            await rebuild(tenant, functools.partial(self._run, self._keepers), embedder, progress)

    async def backup(self, target: Path, progress: Progress | None = None) -> int:
        """Write all tenants to one file while the store is in use, and return its size."""
        return await self._run(self._keepers, backup.backup, self._root, target, progress)

    async def dump(self, scope: Scope) -> AsyncIterator[str]:
        """Yield the tenant's knowledge in a canonical form: equal stores give equal lines."""

        def task(tenant: Tenant) -> list[str]:
            return tenant.read(
                lambda connection, snapshot: list(inspect.dump(connection, snapshot, scope))
            )

        nothing: list[str] = []
        for line in await self._read(scope, task, nothing):
            yield line

    async def tenants(self) -> Sequence[str]:
        """Name the tenants that have something stored."""
        return list(await self._run(self._keepers, tenants_in, self._root))

    async def close(self) -> None:
        """Let go of everything; what was acknowledged is safe already."""
        if self._closed:
            return
        self._closed = True
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, self._shut)

    def _shut(self) -> None:
        for writer in tuple(self._writers.values()):
            writer.shutdown()
        self._keepers.shutdown()
        self._readers.close()
        for tenant, caretaker in self._tenants.values():
            caretaker.close()
            tenant.close()

    def _write(self, scope: Scope, changes: Sequence[Change], asked: float) -> Receipt:
        if self._existing(scope.tenant) is None and all(isinstance(one, Remove) for one in changes):
            if any(one.over for one in changes):
                raise document_moved_on()
            return Receipt(0, missing=len(changes))
        tenant, caretaker = self._opened(scope.tenant)
        with tenant.write(asked) as connection:
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

    async def _record(self, scope: Scope, task: Callable[..., T], *arguments: object) -> T:
        asked = time.monotonic()

        def write() -> T:
            tenant, _ = self._opened(scope.tenant)
            with tenant.write(asked) as connection:
                return task(connection, *arguments)

        limits.check_scope(scope, self._limits)
        return await self._run(self._writer(scope.tenant), write)

    async def _read(self, scope: Scope, task: Callable[[Tenant], T], nothing: T) -> T:
        """Run a task on a tenant; one that was never written to is nothing, and is not made."""
        limits.check_scope(scope, self._limits)

        def read() -> T:
            with typed_errors():
                tenant = self._existing(scope.tenant)
                if tenant is None:
                    return nothing
                try:
                    return task(tenant)
                finally:
                    if tenant.snapshots.damaged:
                        self._tenants[tenant.name][1].wake()

        return await self._readers.run(read)

    def _find_nothing(self, query: Query) -> Found:
        identity, keyword = self._rules.identity, self._rules.settings.keyword
        return find_nothing(query, Words(keyword.language), identity.width if identity else 0)

    def _existing(self, name: str) -> Tenant | None:
        if name not in self._tenants and not tenant_folder(self._root, name).exists():
            return None
        return self._opened(name)[0]

    def _opened(self, name: str) -> tuple[Tenant, Caretaker]:
        known = self._tenants.get(name)
        if known is None:
            with self._opening:
                known = self._tenants.get(name)
                if known is None:
                    folder = tenant_folder(self._root, name)
                    with speaking_of(name, folder):
                        tenant = Tenant(folder, name, self._rules)
                    known = self._tenants[name] = (tenant, Caretaker(tenant))
        return known

    def _writer(self, tenant: str) -> ThreadPoolExecutor:
        """Return the one thread that writes for a tenant; others need not wait for it."""
        known = self._writers.get(tenant)
        if known is None:
            fresh = ThreadPoolExecutor(1, thread_name_prefix="sextant-write")
            known = self._writers.setdefault(tenant, fresh)
        return known

    async def _run(self, pool: ThreadPoolExecutor, task: Callable[..., T], *arguments: object) -> T:
        if self._closed:
            raise StoreClosed("The store is closed.", "Open it again.")

        def typed() -> T:
            with typed_errors():
                return task(*arguments)

        return await asyncio.get_running_loop().run_in_executor(pool, typed)


def _folder(rest: str) -> Path:
    return Path(rest).expanduser()


def restore_store(source: Path, root: Path, progress: Progress | None = None) -> list[str]:
    """Make a new store from a backup, and name its tenants."""
    with typed_errors():
        return backup.restore(source, root.expanduser(), progress)
