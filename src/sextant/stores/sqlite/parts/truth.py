"""The truth in SQLite: units of work are written in turn, and read by id."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sextant import limits
from sextant.stores.refusals import document_moved_on
from sextant.stores.sqlite.reads import graph, visible
from sextant.stores.sqlite.tenant import Tenant
from sextant.stores.sqlite.tenants import OpenTenants
from sextant.stores.sqlite.truth.changes import write_changes
from sextant.stores.sqlite.truth.feed import changed_since
from sextant.stores.sqlite.truth.unembedded import unembedded
from sextant.stores.sqlite.upkeep.maintain import Caretaker
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
    Remove,
    Scope,
    Unembedded,
)

_PATIENCE = 3
"""How many times the flush size may wait for the arrays before writers wait with it."""


class SqliteTruth:
    """All that is known of each tenant, in a database of its own."""

    abilities = PROMISES["truth"]

    def __init__(self, house: OpenTenants) -> None:
        self._house, self._limits = house, house.limits

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        """Make all changes durable, or none of them, under one commit number."""
        limits.check_scope(scope, self._limits)
        limits.check_changes(changes, self._limits)
        return await self._house.in_turn(scope.tenant, self._write, scope, changes)

    async def commit(self, scope: Scope) -> int:
        """Return the number of the tenant's last commit, whoever made it; 0 before the first."""

        def task(tenant: Tenant) -> int:
            return tenant.read(lambda _, snapshot: snapshot.commit)

        return await self._house.read(scope, task, 0)

    async def changed(self, scope: Scope, since: int) -> Changed:
        """Say what changed after a commit, whoever may see it; of each document the last change."""
        return await self._house.from_truth(scope, Changed(0), changed_since, since)

    async def units(self, scope: Scope, document_ids: Sequence[str]) -> Mapping[str, Put]:
        """Return those that exist, each as it could be written again."""
        limits.check_ids("document id", document_ids, self._limits)
        return await self._house.from_truth(scope, {}, visible.units, scope, document_ids)

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

    async def passages(self, scope: Scope, chunk_ids: Sequence[str]) -> Mapping[str, Passage]:
        """Return those that exist."""
        limits.check_ids("chunk id", chunk_ids, self._limits)
        return await self._house.from_truth(scope, {}, visible.passages, scope, chunk_ids)

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

    async def unembedded(
        self, scope: Scope, limit: int = 100, but: Collection[str] = ()
    ) -> Sequence[Unembedded]:
        """Return documents with chunks and without vectors, whoever may see them."""
        limits.check_page("", limit, self._limits)
        limits.check_ids("document id", list(but), self._limits)
        return await self._house.from_truth(scope, [], unembedded, limit, frozenset(but))

    async def counts(self, scope: Scope) -> Counts:
        """Count what there is."""
        return await self._house.from_sights(scope, Counts(), graph.count_all)

    def _write(self, scope: Scope, changes: Sequence[Change], since: float) -> Receipt:
        if not self._house.is_there(scope.tenant) and all(
            isinstance(one, Remove) for one in changes
        ):
            if any(one.over for one in changes):
                raise document_moved_on()
            return Receipt(0, 0, missing=len(changes))
        with self._house.holding(scope.tenant) as (tenant, caretaker):
            with tenant.write(since) as connection:
                receipt, tail = write_changes(connection, changes, tenant.width)
            self._note_growth(caretaker, receipt, tail)
        return receipt

    def _note_growth(self, caretaker: Caretaker, receipt: Receipt, tail: int) -> None:
        """Let the arrays take in what was written, once that is much; wait if it is too much."""
        caretaker.waiting = tail
        caretaker.changed += receipt.written + receipt.removed
        flush = self._house.rules.settings.sqlite.flush_chunks
        if tail >= flush or caretaker.changed >= flush:
            caretaker.changed = 0
            asked = caretaker.wake()
            if tail >= _PATIENCE * flush:
                caretaker.wait(asked, self._house.rules.settings.sqlite.wait_seconds)
