"""Units of work as they were written, in dicts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sextant import limits
from sextant.stores import refusals
from sextant.stores.definitions import has_any
from sextant.stores.memory import graph
from sextant.stores.memory.tenants import Tenants
from sextant.stores.memory.units import (
    definitions,
    entities,
    is_known,
    is_unembedded,
    settle,
    standings,
)
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
    StoreAbility,
    Unembedded,
)


class MemoryTruth:
    """All that is known, until the process ends."""

    abilities = PROMISES["truth"] - {StoreAbility.DURABLE}

    def __init__(self, tenants: Tenants) -> None:
        self._tenants, self._limits = tenants, tenants.settings.limits

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        """Make all changes, or none of them, under one commit number."""
        tenant = self._tenants.tenant(scope)
        limits.check_changes(changes, self._limits)
        units = dict(tenant.units)
        tally = dict.fromkeys(("written", "unchanged", "removed", "missing"), 0)
        for change in changes:
            tally[_apply(units, change, self._tenants.width)] += 1
        _check_chunk_ids(units)
        before = tenant.commit
        if tally["written"] or tally["removed"]:
            tenant = self._tenants.made(scope)
            tenant.take(units)
        return Receipt(tenant.commit, before, **tally)

    async def commit(self, scope: Scope) -> int:
        """Return the number of the tenant's last commit; 0 before the first."""
        return self._tenants.tenant(scope).commit

    async def changed(self, scope: Scope, since: int) -> Changed:
        """Say what changed after a commit, whoever may see it; of each document the last change."""
        tenant = self._tenants.tenant(scope)
        written = tuple(name for name, at in tenant.written.items() if at > since)
        removed = tuple(name for name, at in tenant.removed.items() if at > since)
        history = tenant.history if tenant.commit else ""
        return Changed(tenant.commit, written, removed, history, tenant.complete_since)

    async def units(self, scope: Scope, document_ids: Sequence[str]) -> Mapping[str, Put]:
        """Return those that exist, each as it could be written again."""
        limits.check_ids("document id", document_ids, self._limits)
        known = {unit.document.id: unit for unit in self._tenants.seen(scope)}
        return {name: known[name] for name in document_ids if name in known}

    async def documents(
        self, scope: Scope, after: str = "", limit: int = 100
    ) -> Sequence[Document]:
        """List documents by id, from the first one after the given id."""
        limits.check_page(after, limit, self._limits)
        seen = (unit.document for unit in self._tenants.seen(scope) if unit.document.id > after)
        return sorted(seen, key=lambda document: document.id)[:limit]

    async def chunk_ids(
        self, scope: Scope, document_ids: Sequence[str]
    ) -> Mapping[str, Sequence[str]]:
        """Return the chunk ids of each document that exists, in reading order."""
        limits.check_ids("document id", document_ids, self._limits)
        wanted = set(document_ids)
        units = (unit for unit in self._tenants.seen(scope) if unit.document.id in wanted)
        return {unit.document.id: [chunk.id for chunk in unit.chunks] for unit in units}

    async def passages(self, scope: Scope, chunk_ids: Sequence[str]) -> Mapping[str, Passage]:
        """Return those that exist."""
        limits.check_ids("chunk id", chunk_ids, self._limits)
        wanted = set(chunk_ids)
        found = (one for one in standings(self._tenants.seen(scope)) if one.chunk.id in wanted)
        return {one.chunk.id: one.passage for one in found}

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
        units = sorted(self._tenants.seen(scope), key=lambda unit: unit.document.id)
        said = [
            one
            for one in definitions(units)
            if one.entity.id > after and not has_any(one.entity.metadata, unless or {})
        ]
        ids = set(sorted({one.entity.id for one in said})[:limit])
        kept = (one for one in said if one.entity.id in ids)
        return sorted(kept, key=lambda one: one.entity.id)

    async def unembedded(
        self, scope: Scope, limit: int = 100, but: Collection[str] = ()
    ) -> Sequence[Unembedded]:
        """Return documents with chunks and without vectors, whoever may see them."""
        limits.check_page("", limit, self._limits)
        limits.check_ids("document id", list(but), self._limits)
        tenant = self._tenants.tenant(scope)
        names = [name for name, one in tenant.units.items() if is_unembedded(one)]
        names.sort(key=lambda name: tenant.written[name], reverse=True)
        left = [name for name in names if name not in but]
        return [Unembedded(name, len(tenant.units[name].chunks)) for name in left[:limit]]

    async def counts(self, scope: Scope) -> Counts:
        """Count what there is."""
        units = self._tenants.seen(scope)
        chunks = sum(len(unit.chunks) for unit in units)
        return Counts(len(units), chunks, len(entities(units)), len(graph.edges(units)))


def _apply(units: dict[str, Put], change: Change, width: int) -> str:
    known = units.get(change.document_id)
    if change.over is not None and change.over != (known.key if known else ""):
        raise refusals.document_moved_on()
    if isinstance(change, Remove):
        return "missing" if units.pop(change.document_id, None) is None else "removed"
    unit = settle(change, width)
    if known is not None and is_known(unit, known.key, is_unembedded(known)):
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
