"""What somebody who runs a store in memory can know of it and do with it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

from sextant.errors import StoreError
from sextant.limits import check_vectors
from sextant.ports import DocumentReader, Embedder, Progress
from sextant.stores.dump import dump_lines, record_lines
from sextant.stores.memory import graph
from sextant.stores.memory.tenants import Tenants
from sextant.stores.memory.units import entities, is_unembedded
from sextant.text.embedding import embed_chunks
from sextant.text.passages import embeddables
from sextant.types import PROMISES, Put, Scope, StoreAbility, StoreStatus


class MemoryAdmin:
    """All tenants, of which nothing is derived and nothing lasts."""

    abilities = PROMISES["admin"] - {StoreAbility.ONLINE_BACKUP}

    def __init__(self, tenants: Tenants, truth: DocumentReader) -> None:
        self._tenants, self._truth = tenants, truth

    async def status(self, scope: Scope) -> StoreStatus:
        """Say how the tenant's store is."""
        commit, counts = self._tenants.tenant(scope).commit, await self._truth.counts(scope)
        language = self._tenants.settings.keyword.language
        units = self._tenants.tenant(scope).units.values()
        left = sum(len(unit.chunks) for unit in units if is_unembedded(unit))
        identity = self._tenants.identity
        return StoreStatus(scope.tenant, commit, counts, identity, language, unembedded_chunks=left)

    async def check(self, scope: Scope) -> Sequence[str]:
        """Nothing is derived, so nothing can disagree."""
        self._tenants.tenant(scope)
        return []

    async def rebuild(
        self, scope: Scope, embedder: Embedder | None = None, progress: Progress | None = None
    ) -> None:
        """Embed every chunk anew if an embedder is given."""
        tenant = self._tenants.tenant(scope)
        for at, unit in enumerate(tenant.units.values() if embedder else ()):
            if progress:
                progress("embedding", at, len(tenant.units))
            tenant.units[unit.document.id] = await _embedded(unit, embedder)
        if embedder:
            self._tenants.identity = embedder.identity
            tenant.commit += 1
            tenant.written = dict.fromkeys(tenant.units, tenant.commit)

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
        tenant, units = self._tenants.tenant(scope), self._tenants.seen(scope)
        for line in dump_lines(units, entities(units).values(), graph.edges(units)):
            yield line
        if scope.sees_all:
            own = tenant.threads
            kept = (tenant.counters, own.all_threads(), own.all_entries(), tenant.feedback)
            for line in record_lines(*kept):
                yield line

    async def tenants(self) -> Sequence[str]:
        """Name the tenants that have something stored."""
        return self._tenants.names()

    async def close(self) -> None:
        """Forget everything."""
        self._tenants.close()


async def _embedded(unit: Put, embedder: Embedder | None) -> Put:
    if embedder is None or not unit.chunks:
        return unit
    vectors, pieces = await embed_chunks(embedder, embeddables(unit))
    vectors = check_vectors(vectors, len(unit.chunks), embedder.identity.width)
    return replace(unit, vectors=vectors, pieces=pieces)
