"""Documents as every door lists them: those that Sextant keeps for itself are not there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sextant.types import Document, Scope, is_own


class Shelf(Protocol):
    """What is asked of a store."""

    async def documents(
        self, scope: Scope, after: str = "", limit: int = 100
    ) -> Sequence[Document]:
        """List documents by id."""


async def listed(shelf: Shelf, scope: Scope, after: str, limit: int) -> list[Document]:
    """List documents by id from the first one after an id, as many as there are up to a limit."""
    found: list[Document] = []
    while len(found) < limit:
        page = await shelf.documents(scope, after, limit)
        found += [one for one in page if not is_own(one.id)]
        if len(page) < limit:
            break
        after = page[-1].id
    return found[:limit]
