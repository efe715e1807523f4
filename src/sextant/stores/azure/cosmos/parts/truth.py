"""Units of work as they were written, in Cosmos DB."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from sextant import limits
from sextant.errors import StoreBusy
from sextant.stores.azure.cosmos import finding
from sextant.stores.azure.cosmos.commits import Commits, TurnLost
from sextant.stores.azure.cosmos.containers import Item, Kind
from sextant.stores.azure.cosmos.heads import Head
from sextant.stores.azure.cosmos.items import (
    DOCUMENT,
    definition_of,
    document_of,
    passage_of,
    unit_of,
)
from sextant.stores.azure.cosmos.planning import Plan, plan_changes
from sextant.stores.azure.cosmos.snapshot import Snapshot
from sextant.stores.azure.cosmos.sweeping import Sweeper
from sextant.stores.azure.cosmos.tenants import Tenants
from sextant.stores.definitions import has_any
from sextant.stores.refusals import embedder_mismatch
from sextant.types import (
    PROMISES,
    Change,
    Changed,
    Counts,
    Definition,
    Document,
    Passage,
    Put,
    Receipt,
    Scope,
    Unembedded,
)

_OF_DOCUMENTS = "ARRAY_CONTAINS(@values, c.documentId)"
_STANDS = f"c.kind = '{DOCUMENT}' AND c.isRemoved = false"
_TRIES = 8
"""More processes than that do not take over from each other in a row."""


class CosmosTruth:
    """All that is known, in the tenant's partition of four containers."""

    abilities = PROMISES["truth"]

    def __init__(self, tenants: Tenants, commits: Commits, sweeper: Sweeper) -> None:
        self._tenants, self._commits, self._sweeper = tenants, commits, sweeper
        self._limits = tenants.settings.limits

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        """Make all changes durable, or none of them, under one commit number."""
        self._tenants.check(scope)
        limits.check_changes(changes, self._limits)
        async with self._commits.alone(scope.tenant):
            give_up = time.monotonic() + self._tenants.settings.azure.wait_seconds
            for _ in range(_TRIES):
                head = await self._commits.free_head(scope.tenant, give_up)
                self.check_embedder(head)
                plan = await plan_changes(self._whole(head), changes, self._tenants.width)
                if not plan.units:
                    return Receipt(head.commit, head.commit, **plan.tally)
                try:
                    done = await self._carry_out(head, plan)
                except TurnLost:
                    continue
                await self._sweeper.sweep_now_and_then(done)
                return Receipt(done.commit, head.commit, **plan.tally)
        raise StoreBusy("Other processes keep writing to this tenant.", "Try again.")

    async def _carry_out(self, head: Head, plan: Plan) -> Head:
        work = await self._commits.begin(head)
        embedder = head.embedder or self._tenants.identity
        return await self._commits.carry_out(work, plan.units, plan.known, embedder)

    def check_embedder(self, head: Head) -> None:
        """Refuse vectors of another embedder than those that are there."""
        own, recorded = self._tenants.identity, head.embedder
        if recorded is None or own is None or recorded == own or self._tenants.adopts:
            return
        raise embedder_mismatch(recorded, own)

    def _whole(self, head: Head) -> Snapshot:
        return Snapshot(self._tenants.containers, head)

    async def commit(self, scope: Scope) -> int:
        """Return the number of the tenant's last commit; 0 before the first."""
        self._tenants.check(scope)
        return (await self._tenants.heads.recent(scope.tenant)).commit

    async def changed(self, scope: Scope, since: int) -> Changed:
        """Say what changed after a commit, whoever may see it; of each document the last change."""
        self._tenants.check(scope)
        head = await self._tenants.heads.recent(scope.tenant)
        found: list[Item] = []
        if since < head.commit:
            found = await self._whole(head).fetch(
                Kind.RECORDS,
                "c.documentId, c.isRemoved",
                f"c.kind = '{DOCUMENT}' AND c.since > @after",
                after=since,
            )
        gone = tuple(item["documentId"] for item in found if item["isRemoved"])
        written = tuple(item["documentId"] for item in found if not item["isRemoved"])
        history = head.history if head.commit else ""
        return Changed(head.commit, written, gone, history, head.complete_since)

    async def units(self, scope: Scope, document_ids: Sequence[str]) -> Mapping[str, Put]:
        """Return those that exist, each as it could be written again."""
        limits.check_ids("document id", document_ids, self._limits)
        snapshot = await self._tenants.seen(scope)
        return await read_units(snapshot, document_ids)

    async def documents(
        self, scope: Scope, after: str = "", limit: int = 100
    ) -> Sequence[Document]:
        """List documents by id, from the first one after the given id."""
        limits.check_page(after, limit, self._limits)
        snapshot = await self._tenants.seen(scope)
        found = await snapshot.fetch_page(Kind.RECORDS, "c.document", _STANDS, after, limit)
        return [document_of(item["document"]) for item in found]

    async def chunk_ids(
        self, scope: Scope, document_ids: Sequence[str]
    ) -> Mapping[str, Sequence[str]]:
        """Return the chunk ids of each document that exists, in reading order."""
        limits.check_ids("document id", document_ids, self._limits)
        snapshot = await self._tenants.seen(scope)
        documents, chunks = await self._tenants.containers.run_all(
            [
                snapshot.fetch_any(
                    Kind.RECORDS, "c.documentId", f"{_STANDS} AND {_OF_DOCUMENTS}", document_ids
                ),
                snapshot.fetch_any(
                    Kind.CHUNKS, "c.documentId, c.chunkId, c.at", _OF_DOCUMENTS, document_ids
                ),
            ]
        )
        found: dict[str, list[str]] = {item["documentId"]: [] for item in documents}
        for item in sorted(chunks, key=lambda one: int(one["at"])):
            found[item["documentId"]].append(item["chunkId"])
        return found

    async def passages(self, scope: Scope, chunk_ids: Sequence[str]) -> Mapping[str, Passage]:
        """Return those that exist."""
        limits.check_ids("chunk id", chunk_ids, self._limits)
        snapshot = await self._tenants.seen(scope)
        found = await finding.passages(snapshot, chunk_ids)
        return {item["chunkId"]: passage_of(item) for item in found}

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
        snapshot = await self._tenants.seen(scope)
        found: list[Item] = []
        is_last, cursor = False, after
        while not is_last and len({item["entityId"] for item in found}) < limit:
            page, is_last = await _next_definitions(snapshot, cursor, limit)
            cursor = page[-1]["entityId"] if page else cursor
            found += (item for item in page if not has_any(item["metadata"], unless or {}))
        ids = set(sorted({item["entityId"] for item in found})[:limit])
        own = [definition_of(item) for item in found if item["entityId"] in ids]
        return sorted(own, key=lambda one: (one.entity.id, one.document_id))

    async def unembedded(
        self, scope: Scope, limit: int = 100, but: Collection[str] = ()
    ) -> Sequence[Unembedded]:
        """Return documents with chunks and without vectors, whoever may see them."""
        limits.check_page("", limit, self._limits)
        limits.check_ids("document id", list(but), self._limits)
        found = await self._unembedded(scope)
        return [one for one in found if one.document_id not in but][:limit]

    async def count_unembedded(self, scope: Scope) -> int:
        """Return how many chunks have no vectors."""
        return sum(one.chunks for one in await self._unembedded(scope))

    async def _unembedded(self, scope: Scope) -> list[Unembedded]:
        """Return all documents without vectors, those written last first."""
        self._tenants.check(scope)
        snapshot = self._whole(await self._tenants.heads.recent(scope.tenant))
        bare = await snapshot.fetch(
            Kind.RECORDS, "c.documentId, c.since", f"{_STANDS} AND IS_NULL(c.width)"
        )
        bare.sort(key=lambda item: int(item["since"]), reverse=True)
        names = [item["documentId"] for item in bare]
        chunks = Counter[str]()
        if names:
            own = await snapshot.fetch_any(Kind.CHUNKS, "c.documentId", _OF_DOCUMENTS, names)
            chunks.update(item["documentId"] for item in own)
        return [Unembedded(name, chunks[name]) for name in names if chunks[name]]

    async def counts(self, scope: Scope) -> Counts:
        """Count what there is."""
        snapshot = await self._tenants.seen(scope)
        documents, chunks = await self._tenants.containers.run_all(
            [snapshot.count(Kind.RECORDS, _STANDS), snapshot.count(Kind.CHUNKS)]
        )
        entities, relations = await self._tenants.containers.run_all(
            [
                snapshot.fetch(Kind.ENTITIES, "c.entityId"),
                snapshot.fetch(
                    Kind.RELATIONS, "c.sourceEntityId, c.targetEntityId, c.relationType"
                ),
            ]
        )
        edges = {tuple(sorted(item.items())) for item in relations}
        return Counts(documents, chunks, len({item["entityId"] for item in entities}), len(edges))


_DEFINITION = (
    "c.entityId, c.name, c.type, c.aliases, c.metadata, c.documentId, c.reputation, c.personas"
)


async def _next_definitions(snapshot: Snapshot, after: str, rows: int) -> tuple[list[Item], bool]:
    """Return all definitions of the next entities by id, and whether these are the last ones."""
    page = await snapshot.fetch_page(Kind.ENTITIES, _DEFINITION, "", after, rows)
    if len(page) < rows:
        return page, True
    last = page[-1]["entityId"]
    whole = [item for item in page if item["entityId"] != last]
    whole += await snapshot.fetch(Kind.ENTITIES, _DEFINITION, "c.entityId = @last", last=last)
    return whole, False


async def read_units(snapshot: Snapshot, document_ids: Sequence[str]) -> dict[str, Put]:
    """Return the units that a viewer sees, in the order in which they are asked for."""
    heads, *parts = await snapshot.run_all(
        [
            snapshot.fetch_any(Kind.RECORDS, "*", f"{_STANDS} AND {_OF_DOCUMENTS}", document_ids),
            *(
                snapshot.fetch_any(kind, "*", _OF_DOCUMENTS, document_ids)
                for kind in (Kind.CHUNKS, Kind.ENTITIES, Kind.RELATIONS)
            ),
        ]
    )
    by_document: list[dict[str, list[Item]]] = [defaultdict(list) for _ in parts]
    for own, part in zip(by_document, parts, strict=True):
        for item in part:
            own[item["documentId"]].append(item)
    known = {item["documentId"]: item for item in heads}
    return {
        name: unit_of(known[name], *(own[name] for own in by_document))
        for name in dict.fromkeys(document_ids)
        if name in known
    }
