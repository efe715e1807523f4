"""The verbs of Sextant, one delegating line or two each. Knows ports, no adapter and no door."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from sextant.limits import check_changes, check_query
from sextant.ports import Embedder, Store
from sextant.query import Filter, Query
from sextant.settings import Settings
from sextant.text.passages import embedding_text
from sextant.types import (
    Change,
    Entity,
    Found,
    NameMatch,
    NameMode,
    Neighbourhood,
    Put,
    Receipt,
    Scope,
    Walk,
)


@dataclass(frozen=True, slots=True)
class Sextant:
    """An open store and an open embedder. Use it as ``async with await build() as sextant:``."""

    store: Store
    embedder: Embedder
    settings: Settings

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        """Embed what comes without vectors, and make all changes durable under one commit."""
        check_changes(changes, self.settings.limits)
        ready = [await self._embedded(one) if isinstance(one, Put) else one for one in changes]
        return await self.store.write(scope, ready)

    async def search(
        self,
        scope: Scope,
        text: str,
        *,
        filter: Filter | None = None,  # noqa: A002 - what every search calls it
        k: int = 10,
        at_least: int = 0,
    ) -> Found:
        """Find passages by the words and by the meaning of a text; a blank one lists by id."""
        check_query(Query(text, filter=filter, k=k, at_least=at_least), self.settings.limits)
        text = text.strip()
        vector = (await self.embedder.embed([text], "query"))[0] if text else None
        return await self.store.search(scope, Query(text, vector, filter, k, at_least))

    async def lookup(
        self, scope: Scope, names: Sequence[str], mode: NameMode = NameMode.EXACT, limit: int = 10
    ) -> Mapping[str, Sequence[NameMatch]]:
        """Return for each name the entities that bear it."""
        return await self.store.lookup(scope, names, mode, limit)

    async def entities(self, scope: Scope, entity_ids: Sequence[str]) -> Mapping[str, Entity]:
        """Return the entities that exist."""
        return await self.store.entities(scope, entity_ids)

    async def expand(self, scope: Scope, entity_ids: Sequence[str], walk: Walk) -> Neighbourhood:
        """Follow edges from these entities."""
        return await self.store.neighbours(scope, entity_ids, walk)

    async def close(self) -> None:
        """Close the store, then the embedder."""
        await self.store.close()
        await self.embedder.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _embedded(self, put: Put) -> Put:
        if put.vectors is not None or not put.chunks:
            return put
        title = put.document.title
        texts = [embedding_text(title, chunk.headings, chunk.text) for chunk in put.chunks]
        return replace(put, vectors=await self.embedder.embed(texts, "document"))
