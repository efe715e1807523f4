"""The index: finds passages. It is derived from the truth and can be made anew from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from sextant.ports.records import Records
    from sextant.query import Query
    from sextant.types import (
        EmbedderIdentity,
        Facets,
        Found,
        IndexChange,
        IndexPosition,
        Pieces,
        Scope,
        StoreAbility,
    )


class Finder(Protocol):
    """Passages and what they are sorted by, as far as the scope sees."""

    async def search(self, scope: Scope, query: Query) -> Found:
        """Find passages by words, by vector, by both, or by filter alone.

        Where writes are read at once, a commit that was not made is refused; elsewhere the answer
        says at which commit it holds and that it is behind.
        """

    async def pieces(self, scope: Scope, versions: Mapping[str, str]) -> Mapping[str, Pieces]:
        """Return the vectors of the pieces of chunks that stand at these versions and have some.

        A version by chunk id, as the passage says it: where somebody wrote since, nothing comes
        back, for what is known of another text does not fit the one that was read.
        """

    async def facets(self, scope: Scope) -> Facets:
        """Return the tags and source types in use, and how many documents have each."""


class Index(Finder, Protocol):
    """All that is found by what it says rather than by its id."""

    @property
    def abilities(self) -> frozenset[StoreAbility]:
        """What is promised of that which engines differ in."""

    async def holding(self, scope: Scope, texts: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return for each text the documents that have a chunk with all of its words, by id.

        As of the last commit, also where searches may be behind: documents are linked by it.
        """


class FollowingIndex(Index, Protocol):
    """An index that is kept up with a truth in another engine."""

    async def held(self, scope: Scope) -> IndexPosition:
        """Return up to which commit of the truth it holds the tenant's documents; 0 for none."""

    async def apply(self, scope: Scope, change: IndexChange) -> IndexPosition:
        """Take documents in as they are now, drop others, and return the position after that.

        All or nothing of a call is seen. Where the index stands elsewhere than the change says,
        since another process was faster, nothing changes and Outdated is raised.
        """

    async def clear(self, scope: Scope, identity: EmbedderIdentity | None = None) -> None:
        """Drop all that the tenant has; with an identity, vectors to come are of that embedder.

        It counts as a change: what was to be applied before it is refused. After it the index is at
        commit 0 of no history.
        """

    async def close(self) -> None:
        """Let go of everything."""


@runtime_checkable
class PositionKeeper(Protocol):
    """An index whose engine cannot compare and set, so that the truth's keeps its position."""

    def use_records(self, records: Records) -> None:
        """Take the records of the truth that the index follows; nothing is read yet."""
