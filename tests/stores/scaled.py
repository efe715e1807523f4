"""A store whose keyword scores are on the scale of another engine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

from sextant.ports import Index, Store
from sextant.query import Query
from sextant.types import Found, Match, Scope, StoreAbility

SCALE = 3.7
"""Neither that of BM25 nor a power of two."""


@dataclass(frozen=True, slots=True)
class _ScaledIndex:
    """Hands everything on but keyword scores; one that is not honest calls those exact."""

    index: Index
    is_honest: bool

    @property
    def abilities(self) -> frozenset[StoreAbility]:
        lost = {StoreAbility.EXACT_SCORES} if self.is_honest else frozenset()
        return self.index.abilities - lost

    def __getattr__(self, name: str) -> Any:
        return getattr(self.index, name)

    async def search(self, scope: Scope, query: Query) -> Found:
        found = await self.index.search(scope, query)
        matches = tuple(_scaled(match) for match in found.matches)
        return replace(found, matches=matches, has_exact_scores=not self.is_honest)


def scaled_store(store: Store, *, is_honest: bool = True) -> Store:
    return replace(store, index=cast("Index", _ScaledIndex(store.index, is_honest)))


def _scaled(match: Match) -> Match:
    if match.keyword is None:
        return match
    scaled = match.keyword * SCALE
    total = scaled if match.score == match.keyword else match.score
    return replace(match, keyword=scaled, score=total)
