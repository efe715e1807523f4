"""The index: finds passages. It is derived from the truth and can be made anew from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sextant.query import Query
    from sextant.types import Facets, Found, Pieces, Scope


class Finder(Protocol):
    """Passages and what they are sorted by, as far as the scope sees."""

    async def search(self, scope: Scope, query: Query) -> Found:
        """Find passages by words, by vector, by both, or by filter alone."""

    async def pieces(self, scope: Scope, versions: Mapping[str, str]) -> Mapping[str, Pieces]:
        """Return the vectors of the pieces of chunks that stand at these versions and have some.

        A version by chunk id, as the passage says it: where somebody wrote since, nothing comes
        back, for what is known of another text does not fit the one that was read.
        """

    async def facets(self, scope: Scope) -> Facets:
        """Return the tags and source types in use, and how many documents have each."""


class Index(Finder, Protocol):
    """All that is found by what it says rather than by its id."""

    async def holding(self, scope: Scope, texts: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return for each text the documents that have a chunk with all of its words, by id."""
