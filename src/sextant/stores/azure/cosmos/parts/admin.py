"""What somebody who runs the store in Cosmos DB can know of it and do with it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

from sextant.errors import StoreBusy, StoreError
from sextant.limits import check_vectors
from sextant.ports import Embedder, Progress
from sextant.stores.azure.cosmos.commits import Commits, TurnLost, Work
from sextant.stores.azure.cosmos.containers import Kind
from sextant.stores.azure.cosmos.items import DOCUMENT
from sextant.stores.azure.cosmos.parts.records import CosmosRecords
from sextant.stores.azure.cosmos.parts.truth import CosmosTruth, read_units
from sextant.stores.azure.cosmos.snapshot import Snapshot
from sextant.stores.azure.cosmos.sweeping import Sweeper
from sextant.stores.azure.cosmos.tenants import Tenants
from sextant.stores.dump import dump_lines, record_lines
from sextant.stores.memory import graph
from sextant.stores.memory.units import entities
from sextant.text.embedding import embed_chunks
from sextant.text.passages import embeddables
from sextant.types import PROMISES, Put, Scope, StoreAbility, StoreStatus

_BATCH = 50
"""Documents that are read, embedded and written again at once."""


class CosmosAdmin:
    """All tenants of a database; the service itself makes the backups."""

    abilities = PROMISES["admin"] - {StoreAbility.ONLINE_BACKUP}

    def __init__(
        self,
        tenants: Tenants,
        commits: Commits,
        truth: CosmosTruth,
        records: CosmosRecords,
        sweeper: Sweeper,
    ) -> None:
        self._tenants, self._commits, self._sweeper = tenants, commits, sweeper
        self._truth, self._records = truth, records

    async def status(self, scope: Scope) -> StoreStatus:
        """Say how the tenant's store is."""
        counts = await self._truth.counts(scope)
        head = await self._tenants.heads.recent(scope.tenant)
        language = self._tenants.settings.keyword.language
        embedder = head.embedder or self._tenants.identity
        left = await self._truth.count_unembedded(scope)
        return StoreStatus(
            scope.tenant, head.commit, counts, embedder, language, unembedded_chunks=left
        )

    async def check(self, scope: Scope) -> Sequence[str]:
        """Name documents of which not all is there, or more than there should be."""
        self._tenants.check(scope)
        head = await self._tenants.heads.read(scope.tenant)
        snapshot = Snapshot(self._tenants.containers, head)
        kinds = (Kind.RECORDS, Kind.CHUNKS, Kind.ENTITIES, Kind.RELATIONS)
        documents, *parts = await snapshot.run_all(
            snapshot.fetch(kind, "c.documentId, c.since", _IS_DOCUMENT.get(kind, ""))
            for kind in kinds
        )
        versions = {item["documentId"]: item["since"] for item in documents}
        wrong = {
            item["documentId"]
            for part in parts
            for item in part
            if versions.get(item["documentId"]) != item["since"]
        }
        return [f"The document {name[:200]!r} has items of another version." for name in wrong]

    async def rebuild(
        self, scope: Scope, embedder: Embedder | None = None, progress: Progress | None = None
    ) -> None:
        """Embed every chunk anew if an embedder is given, under one commit; then sweep up."""
        self._tenants.check(scope)
        async with self._commits.alone(scope.tenant):
            give_up = time.monotonic() + self._tenants.settings.azure.wait_seconds
            head = await self._commits.free_head(scope.tenant, give_up)
            if embedder:
                self._tenants.identity = embedder.identity
            if not head.commit:
                return
            try:
                if embedder:
                    await self._embed_all(await self._commits.begin(head), embedder, progress)
            except TurnLost:
                raise StoreBusy(
                    "Another process wrote to this tenant meanwhile.", "Rebuild it again."
                ) from None
            await self._sweeper.sweep(await self._tenants.heads.read(scope.tenant))

    async def _embed_all(self, work: Work, embedder: Embedder, progress: Progress | None) -> None:
        snapshot = Snapshot(self._tenants.containers, work.head)
        found = await snapshot.fetch(Kind.RECORDS, "c.documentId", _IS_DOCUMENT[Kind.RECORDS])
        names = sorted(item["documentId"] for item in found)
        try:
            for at in range(0, len(names), _BATCH):
                if progress:
                    progress("embedding", at, len(names))
                part = names[at : at + _BATCH]
                units = await read_units(snapshot, part)
                anew = {name: await _embedded(unit, embedder) for name, unit in units.items()}
                await work.put(anew, part)
            await work.commit(embedder.identity)
        except TurnLost:
            raise
        except BaseException:
            await self._commits.abandon(work.head.tenant, work.number)
            raise

    async def backup(
        self,
        target: Path,
        progress: Progress | None = None,  # noqa: ARG002 - the port's
    ) -> int:
        """Refuse: the service makes backups of its own."""
        raise StoreError(
            f"A store in Cosmos DB is not backed up to {target.name}.",
            "Use the account's continuous backup, and restore it to a new account.",
        )

    async def dump(self, scope: Scope) -> AsyncIterator[str]:
        """Yield the tenant's knowledge in a canonical form: equal stores give equal lines."""
        snapshot = await self._tenants.seen(scope)
        found = await snapshot.fetch(Kind.RECORDS, "c.documentId", _IS_DOCUMENT[Kind.RECORDS])
        units = list((await read_units(snapshot, [item["documentId"] for item in found])).values())
        for line in dump_lines(units, entities(units).values(), graph.edges(units)):
            yield line
        if scope.sees_all:
            for line in record_lines(*await self._records.everything(scope)):
                yield line

    async def tenants(self) -> Sequence[str]:
        """Name the tenants that have knowledge stored."""
        return await self._tenants.heads.tenants()

    async def close(self) -> None:
        """Let go of the connection."""
        await self._tenants.containers.close()


_IS_DOCUMENT = {Kind.RECORDS: f"c.kind = '{DOCUMENT}' AND c.isRemoved = false"}


async def _embedded(unit: Put, embedder: Embedder) -> Put:
    if not unit.chunks:
        return replace(unit, vectors=None, pieces=None)
    vectors, pieces = await embed_chunks(embedder, embeddables(unit))
    vectors = check_vectors(vectors, len(unit.chunks), embedder.identity.width)
    return replace(unit, vectors=vectors, pieces=pieces)
