"""Administrations that each break one promise."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from sextant.ports import Embedder, Progress
from sextant.stores.memory.parts.admin import MemoryAdmin
from sextant.types import Scope
from tests.conformance.broken.stores import STORES


@STORES.refused_by("test_a_delete_leaves_the_store_as_if_the_document_had_never_been")
class DumpWithHistory(MemoryAdmin):
    """Breaks: equal stores give equal lines, whatever happened to them."""

    async def dump(self, scope: Scope) -> AsyncIterator[str]:
        async for line in super().dump(scope):
            yield line
        if self._tenants.tenant(scope).units:
            yield f"commit {self._tenants.tenant(scope).commit}"


@STORES.refused_by("test_a_closed_store_says_so")
class NeverClosed(MemoryAdmin):
    """Breaks: a closed store says so."""

    async def close(self) -> None:
        pass


@STORES.refused_by("test_new_vectors_are_a_change_of_every_document")
class UntoldRebuild(MemoryAdmin):
    """Breaks: vectors that were made anew are a change."""

    async def rebuild(
        self, scope: Scope, embedder: Embedder | None = None, progress: Progress | None = None
    ) -> None:
        tenant = self._tenants.tenant(scope)
        commit, written = tenant.commit, tenant.written
        await super().rebuild(scope, embedder, progress)
        tenant.commit, tenant.written = commit, written


@STORES.refused_by("test_a_rebuild_makes_pieces_anew_if_the_embedder_can")
class PiecesOfBefore(MemoryAdmin):
    """Breaks: a rebuild leaves no pieces of another embedder."""

    async def rebuild(
        self, scope: Scope, embedder: Embedder | None = None, progress: Progress | None = None
    ) -> None:
        units = self._tenants.tenant(scope).units
        pieces = {name: unit.pieces for name, unit in units.items()}
        await super().rebuild(scope, embedder, progress)
        for name, unit in list(units.items()):
            units[name] = replace(unit, pieces=unit.pieces or pieces[name])
