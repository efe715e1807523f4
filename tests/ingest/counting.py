"""A store that counts the units which are loaded from it, whichever store it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from sextant.ports import Store, Truth
from sextant.types import Put, Scope


class Counting:
    """A truth that hands everything on, and counts."""

    def __init__(self, truth: Truth) -> None:
        self._truth, self.loaded = truth, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._truth, name)

    async def units(self, scope: Scope, document_ids: Sequence[str]) -> Mapping[str, Put]:
        found = await self._truth.units(scope, document_ids)
        self.loaded += len(found)
        return found


def counting_store(store: Store) -> tuple[Store, Counting]:
    """Return a store, and what counts the units that are loaded from it."""
    counting = Counting(store.truth)
    return replace(store, truth=cast("Truth", counting)), counting
