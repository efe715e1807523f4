"""``index = "azure:"``: an index in AI Search that follows a truth in another engine."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from azure.core.credentials_async import AsyncTokenCredential

from sextant.errors import ConfigError
from sextant.limits import check_phrases, check_query, check_scope, check_versions
from sextant.ports import FollowingIndex, Records
from sextant.query import Query
from sextant.settings import Settings
from sextant.stores.azure.search.changes import Changes
from sextant.stores.azure.search.client import SearchConnection
from sextant.stores.azure.search.definition import searched_fields
from sextant.stores.azure.search.filters import (
    CHUNKS,
    DOCUMENTS,
    query_filter,
    scope_filter,
    values_filter,
)
from sextant.stores.azure.search.making import check_definition, open_checked
from sextant.stores.azure.search.positions import Mark, Positions
from sextant.stores.azure.search.refusals import (
    index_read_only,
    no_records,
    not_shown_yet,
)
from sextant.stores.azure.search.remembered import Remembered
from sextant.stores.azure.search.rows import SHOWN, Row, passage_in, pieces_in
from sextant.stores.azure.search.searching import Shape, search_rows, search_text
from sextant.types import (
    EmbedderIdentity,
    Facets,
    Found,
    IndexChange,
    IndexPosition,
    Passage,
    Pieces,
    Scope,
    StoreAbility,
)

_KEPT = ["chunkId", "pieces"]
"""The fields that tell of the pieces of a passage, beside its version."""
_MOST_VALUES = 10_000
"""Values of a field that are counted: tags, source types, or documents that hold a phrase."""


class AzureSearchIndex:
    """Passages in AI Search, which shows what was written a little later.

    Until it shows the last change, and where it shows what is gone, a search says that it is
    behind. Scores are the service's own, over all that it holds.
    """

    abilities = frozenset({StoreAbility.PIECES})

    def __init__(self, connection: SearchConnection, settings: Settings, width: int) -> None:
        self._connection, self._settings, self._width = connection, settings, width
        shown = [*SHOWN, *_KEPT] if width else SHOWN
        self._shape = Shape(searched_fields(settings.keyword), shown, "chunkId", passage_in)
        self._own: Changes | None = None
        self._shown: dict[str, Mark] = {}
        self._remembered = Remembered()

    def use_records(self, records: Records) -> None:
        """Keep the position with the records of the truth: the service cannot compare and set."""
        self._own = Changes(self._connection, Positions(self._connection, records))

    async def search(self, scope: Scope, query: Query) -> Found:
        """Find passages; one that asks for a commit waits for it, but not for long."""
        check_query(query, self._settings.limits)
        check_scope(scope, self._settings.limits)
        held = await self._look(scope, query.at_least)
        wanted = query_filter(scope, query.filter)
        rows: list[Row] = []
        shape = replace(self._shape, passage_in=partial(_passage_noted, rows))
        found = await search_rows(self._connection, shape, query, wanted, self._width)
        shown = self._shown.get(scope.tenant, Mark())
        if self._width and shown.change == held.change:
            self._remembered.note_rows(_view(scope, held), rows)
        return replace(found, commit=shown.position.commit, is_behind=shown.change != held.change)

    async def pieces(self, scope: Scope, versions: Mapping[str, str]) -> Mapping[str, Pieces]:
        """Return the vectors of the pieces of chunks that stand at these versions and have some."""
        check_versions(versions, self._settings.limits)
        if not versions or not self._width:
            return {}
        known = await self._remembered_rows(scope, versions)
        rows = await self._rows_in_time(
            scope, {name: at for name, at in versions.items() if name not in known}
        )
        kept = {name: pieces_in(row, self._width) for name, row in {**known, **rows}.items()}
        return {name: own for name, own in kept.items() if own is not None and len(own.spans)}

    async def facets(self, scope: Scope) -> Facets:
        """Return the tags and source types in use; none until the last change is shown."""
        if not await self._is_shown_in_time(scope):
            return Facets()
        view = _view(scope, self._shown[scope.tenant])
        if known := self._remembered.facets(view):
            return known
        found = await self._connection.find(
            filter=f"{scope_filter(scope)} and {DOCUMENTS}",
            facets=[f"tags,count:{_MOST_VALUES}", f"sourceType,count:{_MOST_VALUES}"],
            top=0,
        )
        types = {name: own for name, own in found.facets["sourceType"].items() if name}
        facets = Facets(found.facets["tags"], types)
        self._remembered.note_facets(view, facets)
        return facets

    async def holding(self, scope: Scope, texts: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return for each text the documents that have a chunk with all of its words, by id."""
        check_phrases(texts, self._settings.limits)
        if not await self._is_shown_in_time(scope):
            raise not_shown_yet()
        found = await asyncio.gather(*(self._holding(scope, text) for text in texts))
        return dict(zip(texts, found, strict=True))

    async def held(self, scope: Scope) -> IndexPosition:
        """Return up to which commit of the truth it holds the tenant's documents; 0 for none."""
        return (await self._changes.positions.recent(scope)).position

    async def apply(self, scope: Scope, change: IndexChange) -> IndexPosition:
        """Take documents in as they are now, drop others, and return the position after that."""
        return (await self._changes.apply(scope, change)).position

    async def clear(self, scope: Scope, identity: EmbedderIdentity | None = None) -> None:
        """Drop all that the tenant has; for vectors of another width another index is needed."""
        if identity is not None and identity.width != self._width:
            await check_definition(self._connection, self._settings, identity.width)
            self._width = identity.width
        await self._changes.clear(scope)

    async def close(self) -> None:
        """Let go of everything."""
        await self._connection.close()

    @property
    def _changes(self) -> Changes:
        if self._own is None:
            raise no_records()
        return self._own

    async def _look(self, scope: Scope, at_least: int) -> Mark:
        """See whether the last change is shown, wait for a commit, and return the last mark."""
        mark = await self._changes.positions.recent(scope)
        shown = self._shown.get(scope.tenant, Mark())
        if mark.change != shown.change:
            is_asked = at_least > shown.position.commit
            look = self._changes.wait_for if is_asked else self._changes.is_shown
            if await look(scope, mark):
                self._shown[scope.tenant] = mark
        return mark

    async def _is_shown_in_time(self, scope: Scope) -> bool:
        mark = await self._changes.positions.recent(scope)
        if mark.change != self._shown.setdefault(scope.tenant, Mark()).change:
            if not await self._changes.wait_for(scope, mark):
                return False
            self._shown[scope.tenant] = mark
        return True

    async def _remembered_rows(self, scope: Scope, versions: Mapping[str, str]) -> dict[str, Row]:
        """Return the rows that searches brought, unless the index has changed since."""
        held = await self._changes.positions.recent(scope)
        if self._shown.get(scope.tenant, Mark()).change != held.change:
            return {}
        return self._remembered.rows(_view(scope, held), versions)

    async def _rows_in_time(self, scope: Scope, versions: Mapping[str, str]) -> dict[str, Row]:
        """Look for rows; where some are missing, once more when the last change is shown."""
        if not versions:
            return {}
        rows, shown = await self._rows_at(scope, versions), self._shown.get(scope.tenant)
        is_short = len(rows) < len(versions)
        if is_short and await self._is_shown_in_time(scope) and shown != self._shown[scope.tenant]:
            rows = await self._rows_at(scope, versions)
        return rows

    async def _rows_at(self, scope: Scope, versions: Mapping[str, str]) -> dict[str, Row]:
        """Return what is kept of chunks that stand at these versions."""
        found = await self._connection.find(
            filter=f"{scope_filter(scope)} and {values_filter('chunkId', list(versions))}",
            select=[*_KEPT, "version"],
            top=2 * len(versions),
        )
        rows = (row for row in found.rows if versions[row["chunkId"]] == row["version"])
        return {row["chunkId"]: row for row in rows}

    async def _holding(self, scope: Scope, text: str) -> list[str]:
        words = search_text(text)
        if not words:
            return []
        found = await self._connection.find(
            words,
            filter=f"{scope_filter(scope)} and {CHUNKS}",
            search_fields=self._shape.searched,
            search_mode="all",
            query_type="simple",
            facets=[f"documentId,count:{_MOST_VALUES}"],
            top=0,
        )
        return sorted(found.facets["documentId"])


def _view(scope: Scope, mark: Mark) -> str:
    return f"{mark.change:x} {scope_filter(scope)}"


def _passage_noted(rows: list[Row], row: Mapping[str, Any]) -> Passage:
    passage = passage_in(row)
    rows.append({"version": passage.version, **{name: row.get(name) for name in _KEPT}})
    return passage


async def open_index(
    settings: Settings,
    identity: EmbedderIdentity | None,
    credential: AsyncTokenCredential | None = None,
    transport: Any = None,
) -> AzureSearchIndex:
    """Open the index that the settings name, which `pair` puts beside a store."""
    width = identity.width if identity else 0
    connection = await open_checked(settings, width, credential, transport)
    return AzureSearchIndex(connection, settings, width)


async def open_adapter(
    rest: str, settings: Settings, identity: EmbedderIdentity | None
) -> FollowingIndex:
    """Open what ``azure:`` names as an index."""
    if rest:
        raise ConfigError(
            "The index azure: takes no name.", "Write azure: alone, and set azure.search_index."
        )
    if settings.azure.read_only:
        raise index_read_only()
    return await open_index(settings, identity)
