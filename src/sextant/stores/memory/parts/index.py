"""Passages found by looking at every one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from sextant import limits
from sextant.query import Query
from sextant.stores import refusals
from sextant.stores.memory import search
from sextant.stores.memory.tenants import Tenants
from sextant.stores.memory.units import standings
from sextant.types import PROMISES, Facets, Found, Pieces, Scope


class MemoryIndex:
    """Passages by words and vectors; nothing is kept of a search."""

    abilities = PROMISES["index"]

    def __init__(self, tenants: Tenants) -> None:
        self._tenants, self._limits = tenants, tenants.settings.limits

    async def search(self, scope: Scope, query: Query) -> Found:
        """Find passages by words, by vector, by both, or by filter alone."""
        limits.check_query(query, self._limits)
        tenant = self._tenants.tenant(scope)
        if query.at_least > tenant.commit:
            raise refusals.commit_unknown(tenant.commit, query.at_least)
        units, keyword = self._tenants.seen(scope), self._tenants.settings.keyword
        return search.find(
            units, query, self._tenants.words, keyword, self._tenants.width, tenant.commit
        )

    async def pieces(self, scope: Scope, versions: Mapping[str, str]) -> Mapping[str, Pieces]:
        """Return the vectors of the pieces of chunks that stand at these versions and have some."""
        limits.check_versions(versions, self._limits)
        seen = standings(self._tenants.seen(scope))
        found = (one for one in seen if versions.get(one.chunk.id) == one.unit.key)
        return {one.chunk.id: one.pieces for one in found if one.pieces is not None}

    async def facets(self, scope: Scope) -> Facets:
        """Return the tags and source types in use, and how many documents have each."""
        documents = [unit.document for unit in self._tenants.seen(scope)]
        tags = Counter(tag for document in documents for tag in document.tags)
        types = Counter(document.source_type for document in documents if document.source_type)
        return Facets(dict(tags), dict(types))

    async def holding(self, scope: Scope, texts: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return for each text the documents that have a chunk with all of its words."""
        limits.check_phrases(texts, self._limits)
        units, keyword = self._tenants.seen(scope), self._tenants.settings.keyword
        return {text: search.holding(units, text, self._tenants.words, keyword) for text in texts}
