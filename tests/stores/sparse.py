"""A store whose commit numbers leave gaps, as those of engines do that share one sequence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sextant.stores.memory.store import MemoryStore
from sextant.types import Change, Receipt, Scope

_GAP = 6


class SparseStore(MemoryStore):
    """Numbers that only grow."""

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        receipt = await super().write(scope, changes)
        if receipt.commit == receipt.before:
            return receipt
        self._tenants[scope.tenant].commit += _GAP
        return replace(receipt, commit=receipt.commit + _GAP)
