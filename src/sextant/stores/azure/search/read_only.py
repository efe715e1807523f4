"""An index that somebody else fills, searched as it is: no tenants, no personas, no positions."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from azure.core.credentials_async import AsyncTokenCredential

from sextant.limits import check_phrases, check_query, check_scope, check_versions
from sextant.query import Query
from sextant.settings import Settings
from sextant.stores.azure.search.client import SearchConnection
from sextant.stores.azure.search.definition import CONTENT, KEY, TITLE
from sextant.stores.azure.search.filters import seed_filter
from sextant.stores.azure.search.making import open_checked
from sextant.stores.azure.search.rows import SEED_SHOWN, seed_passage_in
from sextant.stores.azure.search.searching import Shape, search_rows, search_text
from sextant.types import EmbedderIdentity, Facets, Found, Pieces, Scope, StoreAbility

_PAGE = 1_000
"""Rows that the service gives at once."""


class ReadOnlySearchIndex:
    """Passages of one tenant in somebody else's index; for all others it is empty.

    What is in it has no tags, no personas and no pieces, and is always as of commit 0.
    """

    abilities: frozenset[StoreAbility] = frozenset()

    def __init__(self, connection: SearchConnection, settings: Settings, width: int) -> None:
        self._connection, self._limits, self._width = connection, settings.limits, width
        self._tenant = settings.serve.tenant
        self._shape = Shape([CONTENT, TITLE], SEED_SHOWN, KEY, seed_passage_in)

    async def search(self, scope: Scope, query: Query) -> Found:
        """Find passages by words, by vector, by both, or by filter alone."""
        check_query(query, self._limits)
        check_scope(scope, self._limits)
        if scope.tenant != self._tenant:
            return Found((), 0, has_exact_scores=False)
        wanted = seed_filter(query.filter)
        return await search_rows(self._connection, self._shape, query, wanted, self._width)

    async def pieces(self, scope: Scope, versions: Mapping[str, str]) -> Mapping[str, Pieces]:  # noqa: ARG002 - the port's
        """Return nothing: nobody else keeps pieces."""
        check_versions(versions, self._limits)
        return {}

    async def facets(self, scope: Scope) -> Facets:  # noqa: ARG002 - the port's
        """Return nothing: nobody else keeps tags or source types."""
        return Facets()

    async def holding(self, scope: Scope, texts: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return for each text the documents that have a chunk with all of its words, by id."""
        check_phrases(texts, self._limits)
        is_there = scope.tenant == self._tenant
        found = await asyncio.gather(*(self._holding(text if is_there else "") for text in texts))
        return dict(zip(texts, found, strict=True))

    async def close(self) -> None:
        """Let go of everything."""
        await self._connection.close()

    async def _holding(self, text: str) -> list[str]:
        words = search_text(text)
        if not words:
            return []
        found = await self._connection.find(
            words,
            search_fields=self._shape.searched,
            search_mode="all",
            query_type="simple",
            select=SEED_SHOWN,
            top=_PAGE,
        )
        return sorted({seed_passage_in(row).document.id for row in found.rows})


async def open_read_only(
    settings: Settings,
    identity: EmbedderIdentity | None,
    credential: AsyncTokenCredential | None = None,
    transport: Any = None,
) -> ReadOnlySearchIndex:
    """Open the index that the settings name, whoever fills it."""
    width = identity.width if identity else 0
    connection = await open_checked(settings, width, credential, transport, is_seed=True)
    return ReadOnlySearchIndex(connection, settings, width)
