"""How a broken store is put together: the store in memory with one part in the place of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sextant.ports import Store
from sextant.settings import Settings
from sextant.stores.memory.parts.admin import MemoryAdmin
from sextant.stores.memory.parts.graph import MemoryGraph
from sextant.stores.memory.parts.index import MemoryIndex
from sextant.stores.memory.parts.records import MemoryRecords
from sextant.stores.memory.parts.truth import MemoryTruth
from sextant.stores.memory.tenants import Tenant, Tenants
from sextant.testing import IDENTITY
from sextant.types import OPERATOR, Put, Scope
from tests.conformance.broken.cases import Cases

STORES = Cases()
"""Each is a part of a store."""


@dataclass
class _TenantWithPast(Tenant):
    """A tenant that remembers what it had."""

    gone: dict[str, Put] = field(default_factory=dict)

    def take(self, units: dict[str, Put]) -> None:
        """Have these units instead, and remember those that go."""
        self.gone |= {name: unit for name, unit in self.units.items() if name not in units}
        super().take(units)


class TenantsWithPast(Tenants):
    """Tenants of which a part can see what was removed, to forget to forget it."""

    def made(self, scope: Scope) -> Tenant:
        """Return the tenant, made if need be."""
        self.tenant(scope)
        return self._tenants.setdefault(scope.tenant, _TenantWithPast())

    def gone(self, scope: Scope) -> list[Put]:
        """Return the units that are there no more."""
        tenant = self.tenant(scope)
        return list(tenant.gone.values()) if isinstance(tenant, _TenantWithPast) else []

    def past(self, scope: Scope) -> list[Put]:
        """Return the units that exist for the scope, and those that did for anybody."""
        return [*self.seen(scope), *self.gone(scope)]

    def others(self) -> list[Put]:
        """Return the units of all tenants."""
        return [unit for tenant in self._tenants.values() for unit in tenant.units.values()]


def store_with(part: type[Any]) -> Store:
    """Return a new store in memory with this part in the place of the one that it derives from."""

    def choose(own: type[Any]) -> type[Any]:
        return part if issubclass(part, own) else own

    tenants = TenantsWithPast(Settings(), IDENTITY)
    truth = choose(MemoryTruth)(tenants)
    return Store(
        truth,
        choose(MemoryIndex)(tenants),
        choose(MemoryGraph)(tenants),
        choose(MemoryRecords)(tenants),
        choose(MemoryAdmin)(tenants, truth),
    )


def unhidden(scope: Scope) -> Scope:
    """Return the scope without anything hidden from it."""
    return Scope(scope.tenant, roles=frozenset({OPERATOR}))
