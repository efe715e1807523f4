"""A store whose commit numbers leave gaps, as those of engines do that share one sequence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sextant.ports import Store
from sextant.settings import Settings
from sextant.stores.memory.parts.truth import MemoryTruth
from sextant.stores.memory.store import store_of
from sextant.stores.memory.tenants import Tenants
from sextant.types import Change, EmbedderIdentity, Receipt, Scope

_GAP = 6


class SparseTruth(MemoryTruth):
    """Numbers that only grow."""

    async def write(self, scope: Scope, changes: Sequence[Change]) -> Receipt:
        receipt = await super().write(scope, changes)
        if receipt.commit == receipt.before:
            return receipt
        self._tenants.made(scope).commit += _GAP
        return replace(receipt, commit=receipt.commit + _GAP)


def sparse_store(settings: Settings, identity: EmbedderIdentity | None) -> Store:
    tenants = Tenants(settings, identity)
    return store_of(tenants, SparseTruth(tenants))
