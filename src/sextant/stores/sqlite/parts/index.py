"""The index of the embedded store: arrays find, the truth of the same commit shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sextant import limits
from sextant.query import Query
from sextant.stores.arrays.snapshots.facets import facets
from sextant.stores.refusals import commit_unknown
from sextant.stores.sqlite.reads import visible
from sextant.stores.sqlite.reads.search import documents_holding, find, find_nothing
from sextant.stores.sqlite.reads.visible import viewer_of
from sextant.stores.sqlite.tenant import Tenant
from sextant.stores.sqlite.tenants import OpenTenants
from sextant.text.words import Words
from sextant.types import PROMISES, Facets, Found, Pieces, Scope


class SqliteIndex:
    """Passages by words and vectors."""

    abilities = PROMISES["index"]

    def __init__(self, house: OpenTenants) -> None:
        self._house, self._limits = house, house.limits

    async def search(self, scope: Scope, query: Query) -> Found:
        """Find passages by words, by vector, by both, or by filter alone."""
        limits.check_query(query, self._limits)

        def task(tenant: Tenant) -> Found:
            return tenant.read(
                lambda connection, snapshot: find(
                    connection,
                    snapshot,
                    viewer_of(scope),
                    query,
                    tenant.analysis.words,
                    tenant.width,
                )
            )

        found = await self._house.read(scope, task, None) or self._find_nothing(query)
        if query.at_least > found.commit:
            raise commit_unknown(found.commit, query.at_least)
        return found

    async def pieces(self, scope: Scope, versions: Mapping[str, str]) -> Mapping[str, Pieces]:
        """Return the vectors of the pieces of chunks that stand at these versions and have some."""
        limits.check_versions(versions, self._limits)
        return await self._house.from_truth(scope, {}, visible.pieces, scope, versions)

    async def facets(self, scope: Scope) -> Facets:
        """Return the tags and source types in use, and how many documents have each."""
        return await self._house.from_sights(scope, Facets(), facets)

    async def holding(self, scope: Scope, texts: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return for each text the documents that have a chunk with all of its words."""
        limits.check_phrases(texts, self._limits)

        def task(tenant: Tenant) -> dict[str, list[str]]:
            return tenant.read(
                lambda connection, snapshot: documents_holding(
                    connection, snapshot, viewer_of(scope), texts, tenant.analysis.words
                )
            )

        return await self._house.read(scope, task, {text: [] for text in texts})

    def _find_nothing(self, query: Query) -> Found:
        identity, keyword = self._house.rules.identity, self._house.rules.settings.keyword
        return find_nothing(query, Words(keyword.language), identity.width if identity else 0)
