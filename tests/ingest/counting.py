"""A store that counts the units which are loaded from it, whichever store it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sextant.types import Put, Scope


class Counting:
    """Hands everything on, and counts."""

    def __init__(self, store: Any) -> None:
        self._store, self.loaded = store, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def units(self, scope: Scope, document_ids: Sequence[str]) -> Mapping[str, Put]:
        found: Mapping[str, Put] = await self._store.units(scope, document_ids)
        self.loaded += len(found)
        return found
