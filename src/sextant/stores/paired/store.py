"""A store whose truth, graph and records are of one engine and whose index is of another.

The truth is written first, and what it acknowledges is safe; the index follows. A graph in a third
engine would follow in the same way.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace

from sextant.errors import ConfigError, IndexBehind
from sextant.limits import Limits, check_query
from sextant.ports import (
    Admin,
    Embedder,
    FollowingIndex,
    PositionKeeper,
    Progress,
    Store,
    Truth,
)
from sextant.query import AllOf, ChunksAny, Filter, Query
from sextant.stores.paired.following import Following, whole_of
from sextant.stores.refusals import commit_unknown
from sextant.types import (
    Change,
    Facets,
    Found,
    Match,
    Passage,
    Pieces,
    Receipt,
    Scope,
    StoreAbility,
    StoreStatus,
)


def pair(store: Store, index: FollowingIndex, limits: Limits) -> Store:
    """Return the store with this index in the place of its own."""
    if StoreAbility.CHANGE_FEED not in store.truth.abilities:
        raise ConfigError(
            "This store cannot tell what changed, so no other index can follow it.",
            'Set index = "" to use its own.',
        )
    if isinstance(index, PositionKeeper):
        index.use_records(store.records)
    following = Following(store.truth, index)
    return replace(
        store,
        truth=PairedTruth(store.truth, following),
        index=PairedIndex(store.truth, index, following, limits),
        admin=PairedAdmin(store, index, following),
    )


class PairedTruth:
    """The truth, after each write of which the index follows."""

    def __init__(self, truth: Truth, following: Following) -> None:
        self.abilities = truth.abilities
        self._truth, self._following = truth, following
        self.commit, self.changed, self.units = truth.commit, truth.changed, truth.units
        self.documents, self.chunk_ids = truth.documents, truth.chunk_ids
        self.passages, self.counts = truth.passages, truth.counts
        self.definitions, self.unembedded = truth.definitions, truth.unembedded

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        """Make all changes durable, or none of them, under one commit number."""
        receipt = await self._truth.write(scope, changes)
        await self._following.follow(scope, receipt.commit)
        return receipt


class PairedIndex:
    """The index, brought up to the truth before each read as far as that can be done."""

    def __init__(
        self, truth: Truth, index: FollowingIndex, following: Following, limits: Limits
    ) -> None:
        self.abilities = index.abilities
        self._truth, self._index, self._following = truth, index, following
        self._limits = limits
        self._is_late = StoreAbility.READ_YOUR_WRITES not in index.abilities

    async def search(self, scope: Scope, query: Query) -> Found:
        """Find passages by words, by vector, by both, or by filter alone.

        An index that shows writes late is asked to wait for a commit. What it finds is always
        compared with the truth: one copy of it may be up while the next one asked is not.
        """
        check_query(query, self._limits)
        commit = await self._following.follow(scope)
        if query.at_least > commit:
            raise commit_unknown(commit, query.at_least)
        named = _named_chunks(query.filter) if self._is_late else ()
        found, there = await asyncio.gather(
            self._index.search(scope, query if self._is_late else _undated(query)),
            self._truth.passages(scope, named) if named else _nothing(),
        )
        is_up = found.commit >= commit
        if is_up and not self._is_late:
            return found
        if query.at_least > found.commit and not self._is_late:
            raise _index_behind(query.at_least)
        matches = await self._still_there(scope, found, there)
        if is_up:
            return replace(found, matches=matches)
        # Counts of what is gone, or hidden by now, must not be told either.
        return replace(found, matches=matches, frequencies={}, chunks=0, is_behind=True)

    async def pieces(self, scope: Scope, versions: Mapping[str, str]) -> Mapping[str, Pieces]:
        """Return the vectors of the pieces of chunks that stand at these versions and have some."""
        await self._following.follow(scope)
        return await self._index.pieces(scope, versions)

    async def facets(self, scope: Scope) -> Facets:
        """Return the tags and source types in use; none while the index is behind."""
        commit = await self._following.follow(scope)
        is_up = self._following.is_up(scope, commit)
        return await self._index.facets(scope) if is_up else Facets()

    async def holding(self, scope: Scope, texts: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return for each text the documents that have a chunk with all of its words, by id."""
        commit = await self._following.follow(scope)
        if not self._following.is_up(scope, commit):
            raise _index_behind(commit)
        return await self._index.holding(scope, texts)

    async def _still_there(
        self, scope: Scope, found: Found, there: Mapping[str, Passage]
    ) -> tuple[Match, ...]:
        """Drop what the truth has no longer, or not for this scope: that must not wait."""
        ids = [match.passage.chunk.id for match in found.matches]
        if left := [name for name in ids if name not in there]:
            there = {**there, **await self._truth.passages(scope, left)}
        versions = {name: passage.version for name, passage in there.items()}
        return tuple(
            match
            for match in found.matches
            if versions.get(match.passage.chunk.id) == match.passage.version
        )


def _named_chunks(tree: Filter | None) -> tuple[str, ...]:
    """Return the chunks that a filter names, of which all that is found must be one."""
    parts = tree.parts if isinstance(tree, AllOf) else (tree,)
    return next((one.chunk_ids for one in parts if isinstance(one, ChunksAny)), ())


async def _nothing() -> Mapping[str, Passage]:
    return {}


def _undated(query: Query) -> Query:
    return replace(query, at_least=0)


def _index_behind(commit: int) -> IndexBehind:
    return IndexBehind(
        f"The index could not be brought up to commit {commit}.",
        "Try again once it is back; `sextant status` says what is wrong.",
    )


class PairedAdmin:
    """Looks after both engines; a backup needs the truth alone."""

    def __init__(self, store: Store, index: FollowingIndex, following: Following) -> None:
        self.abilities = store.admin.abilities
        self._admin: Admin = store.admin
        self._truth, self._index, self._following = store.truth, index, following
        self.tenants, self.backup = store.admin.tenants, store.admin.backup

    async def status(self, scope: Scope) -> StoreStatus:
        """Say how the tenant's store is, and how far the index is behind."""
        status = await self._admin.status(scope)
        problem = self._following.problem(scope)
        return replace(
            status,
            documents_behind=await self._following.behind(scope),
            problems=(*status.problems, problem) if problem else status.problems,
        )

    async def check(self, scope: Scope) -> Sequence[str]:
        """Compare the derived indexes with the truth and name every disagreement."""
        found, whole = list(await self._admin.check(scope)), whole_of(scope)
        await self._following.follow(scope)
        if problem := self._following.problem(scope):
            return [*found, problem]
        commit, counts = await self._truth.commit(whole), await self._truth.counts(whole)
        held = await self._index.search(whole, Query(k=1))
        if held.commit == commit and held.chunks != counts.chunks:
            found.append(f"The index holds {held.chunks} chunks, the truth {counts.chunks}.")
        return found

    async def rebuild(
        self, scope: Scope, embedder: Embedder | None = None, progress: Progress | None = None
    ) -> None:
        """Derive the indexes anew from the truth, with new vectors if an embedder is given."""
        await self._admin.rebuild(scope, embedder, progress)
        await self._following.fill_anew(scope, embedder.identity if embedder else None)

    def dump(self, scope: Scope) -> AsyncIterator[str]:
        """Yield the tenant's knowledge in a canonical form: equal stores give equal lines."""
        return self._admin.dump(scope)

    async def close(self) -> None:
        """Let go of both, whatever one of them says to it."""
        try:
            await self._index.close()
        finally:
            await self._admin.close()
