"""Truths that each break one promise."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from sextant import limits
from sextant.errors import Conflict
from sextant.stores.digest import unit_key
from sextant.stores.memory.parts.truth import MemoryTruth
from sextant.stores.memory.units import settle, standings
from sextant.types import (
    Change,
    Changed,
    Definition,
    Document,
    Passage,
    Put,
    Receipt,
    Scope,
    Unembedded,
)
from tests.conformance.broken.stores import STORES, TenantsWithPast, unhidden


@STORES.refused_by(
    "test_a_batch_is_taken_whole_or_not_at_all",
    "test_a_change_over_a_version_is_made_to_that_one_and_no_other",
)
class HalfWrittenBatch(MemoryTruth):
    """Breaks: a batch is written whole or not at all."""

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        try:
            return await super().write(scope, changes)
        except Conflict:
            for change in changes:
                await super().write(scope, [change])
            raise


@STORES.refused_by("test_the_last_commit_is_told_at_once")
class RepeatedCommit(MemoryTruth):
    """Breaks: a commit number is higher than all before it, also that of a removal."""

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        receipt = await super().write(scope, changes)
        if not receipt.removed or receipt.written:
            return receipt
        self._tenants.made(scope).commit = receipt.before
        return replace(receipt, commit=receipt.before)


@STORES.refused_by("test_the_last_commit_is_told_at_once")
class CommitOfAnybody(MemoryTruth):
    """Breaks: the last commit is that of the tenant."""

    async def commit(self, scope: Scope) -> int:
        own = await super().commit(scope)
        others = [Scope(name) for name in self._tenants.names()]
        return max([own, *[self._tenants.tenant(one).commit for one in others]])


@STORES.refused_by("test_writes_at_once_are_applied_one_after_the_other")
class BeforeReadTooEarly(MemoryTruth):
    """Breaks: a receipt names the commit that its changes were applied to, whoever else writes."""

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        before = await self.commit(scope)
        await asyncio.sleep(0)
        return replace(await super().write(scope, changes), before=before)


@STORES.refused_by("test_the_same_unit_again_changes_nothing")
class WrittenAgain(MemoryTruth):
    """Breaks: the same unit again changes nothing."""

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        receipt = await super().write(scope, changes)
        if not receipt.unchanged:
            return receipt
        self._tenants.made(scope).take(dict(self._tenants.tenant(scope).units))
        written = receipt.written + receipt.unchanged
        return replace(receipt, commit=await self.commit(scope), written=written, unchanged=0)


@STORES.refused_by("test_a_change_over_a_version_is_made_to_that_one_and_no_other")
class LastWriterWins(MemoryTruth):
    """Breaks: a change over a version is made to that one and no other."""

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        _check(self, scope, changes)
        return await super().write(scope, _blind(changes))


@STORES.refused_by("test_writes_at_once_are_applied_one_after_the_other")
class VersionReadTooEarly(MemoryTruth):
    """Breaks: of those who change one version at once only one does."""

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        _check(self, scope, changes)
        known = await self.units(scope, [one.document_id for one in changes])
        keys = {name: unit.key for name, unit in known.items()}
        await asyncio.sleep(0)
        fits = all(one.over in (None, keys.get(one.document_id, "")) for one in changes)
        return await super().write(scope, _blind(changes) if fits else changes)


def _check(truth: MemoryTruth, scope: Scope, changes: Sequence[Change]) -> None:
    """Refuse what no store takes, before anything is made of it."""
    truth._tenants.tenant(scope)
    limits.check_changes(changes, truth._limits)
    for change in changes:
        if isinstance(change, Put):
            settle(change, truth._tenants.width)


def _blind(changes: Sequence[Change]) -> Sequence[Change]:
    return [replace(change, over=None) for change in changes]


@STORES.refused_by("test_an_update_replaces_the_vectors_too")
class OldVectors(MemoryTruth):
    """Breaks: an update replaces the vectors, too."""

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        known = dict(self._tenants.tenant(scope).units)
        receipt = await super().write(scope, changes)
        units = self._tenants.tenant(scope).units
        for name in known.keys() & units.keys():
            old, new = known[name].vectors, units[name].vectors
            if old is not None and new is not None and old.shape == new.shape:
                units[name] = replace(units[name], vectors=old)
        return receipt


@STORES.refused_by("test_what_a_persona_may_not_see_does_not_exist_for_it")
class PassagesForAnybody(MemoryTruth):
    """Breaks: a passage that is hidden cannot be read by its id."""

    async def passages(self, scope: Scope, chunk_ids: Sequence[str]) -> Mapping[str, Passage]:
        await super().passages(scope, chunk_ids)
        return await super().passages(unhidden(scope), chunk_ids)


@STORES.refused_by("test_tenants_do_not_know_of_each_other")
class PassagesOfOtherTenants(MemoryTruth):
    """Breaks: a passage of another tenant cannot be read by its id."""

    async def passages(self, scope: Scope, chunk_ids: Sequence[str]) -> Mapping[str, Passage]:
        own = await super().passages(scope, chunk_ids)
        assert isinstance(self._tenants, TenantsWithPast)
        public = [unit for unit in self._tenants.others() if not unit.document.personas]
        found = (one for one in standings(public) if one.chunk.id in chunk_ids)
        return {one.chunk.id: one.passage for one in found} | dict(own)


@STORES.refused_by("test_documents_are_listed_page_by_page")
class RepeatingPage(MemoryTruth):
    """Breaks: a page of documents starts after the id that is given."""

    async def documents(
        self, scope: Scope, after: str = "", limit: int = 100
    ) -> Sequence[Document]:
        page = await super().documents(scope, after, limit)
        known = await self.units(scope, [after]) if after else {}
        return [*(unit.document for unit in known.values()), *page][:limit]


@STORES.refused_by("test_documents_are_listed_page_by_page")
class PageCutBeforeSight(MemoryTruth):
    """Breaks: hidden documents take no place on a page."""

    async def documents(
        self, scope: Scope, after: str = "", limit: int = 100
    ) -> Sequence[Document]:
        await super().documents(scope, after, limit)
        page = await super().documents(unhidden(scope), after, limit)
        return [document for document in page if scope.sees(document)]


@STORES.refused_by("test_definitions_come_by_entity_one_per_document")
class EntityCutInHalf(MemoryTruth):
    """Breaks: the limit of a page of definitions counts entities."""

    async def definitions(
        self,
        scope: Scope,
        after: str = "",
        limit: int = 1000,
        unless: Mapping[str, frozenset[str]] | None = None,
    ) -> Sequence[Definition]:
        return (await super().definitions(scope, after, limit, unless))[:limit]


@STORES.refused_by("test_what_changed_since_a_commit_is_told")
class SilentRemoval(MemoryTruth):
    """Breaks: what was removed is told as a change."""

    async def changed(self, scope: Scope, since: int) -> Changed:
        return replace(await super().changed(scope, since), removed=())


@STORES.refused_by("test_what_changed_since_a_commit_is_told")
class FeedForOnePersona(MemoryTruth):
    """Breaks: changes are told whoever may see them."""

    async def changed(self, scope: Scope, since: int) -> Changed:
        changed = await super().changed(scope, since)
        seen = {unit.document.id for unit in self._tenants.seen(scope)}
        return replace(changed, written=tuple(one for one in changed.written if one in seen))


@STORES.refused_by("test_the_owner_of_a_document_is_kept")
class OwnerForgotten(MemoryTruth):
    """Breaks: a document is of whoever brought it."""

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        _check(self, scope, changes)
        lost = [_ownerless(one) if isinstance(one, Put) else one for one in changes]
        return await super().write(scope, lost)


@STORES.refused_by("test_the_owner_of_a_document_is_kept")
class FirstOwnerForEver(MemoryTruth):
    """Breaks: who brings a document that is there becomes its owner."""

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        _check(self, scope, changes)
        keyed = [
            replace(one, key=unit_key(_ownerless(one))) if isinstance(one, Put) else one
            for one in changes
        ]
        return await super().write(scope, keyed)


def _ownerless(put: Put) -> Put:
    return replace(put, document=replace(put.document, owner=""))


@STORES.refused_by("test_documents_without_vectors_are_told_last_written_first")
class UnembeddedByName(MemoryTruth):
    """Breaks: of what has no vectors, that which was written last comes first."""

    async def unembedded(
        self, scope: Scope, limit: int = 100, but: Collection[str] = ()
    ) -> Sequence[Unembedded]:
        found = await super().unembedded(scope, limit, but)
        return sorted(found, key=lambda one: one.document_id)


@STORES.refused_by(
    "test_the_same_key_again_may_bring_the_vectors_that_were_missing",
    "test_vectors_that_come_later_are_told_as_a_change",
)
class VectorsAtOnceOrNever(MemoryTruth):
    """Breaks: vectors may come after the text that they are of."""

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        _check(self, scope, changes)
        known = {name: unit.key for name, unit in self._tenants.tenant(scope).units.items()}
        late = [
            isinstance(one, Put) and bool(one.key) and known.get(one.document_id) == one.key
            for one in changes
        ]
        kept = [one for one, is_late in zip(changes, late, strict=True) if not is_late]
        receipt = await super().write(scope, kept)
        return replace(receipt, unchanged=receipt.unchanged + sum(late))


@STORES.refused_by("test_units_without_a_key_differ_by_their_pieces")
class KeyOfTheTextAlone(MemoryTruth):
    """Breaks: a unit without a key is known by all of its content."""

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        _check(self, scope, changes)
        return await super().write(scope, [_keyed(one) for one in changes])


def _keyed(change: Change) -> Change:
    if not isinstance(change, Put) or change.key or not change.pieces:
        return change
    return replace(change, key=unit_key(replace(change, pieces=None)))
