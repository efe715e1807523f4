"""How the embedded store is, and what makes it well again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from sextant.ports import Embedder, Progress
from sextant.stores.sqlite.leases import SqliteLeases
from sextant.stores.sqlite.reads import inspect
from sextant.stores.sqlite.reads.visible import viewer_of
from sextant.stores.sqlite.tenant import Tenant
from sextant.stores.sqlite.tenants import OpenTenants
from sextant.stores.sqlite.upkeep import backup
from sextant.stores.sqlite.upkeep.folder import tenants_in
from sextant.stores.sqlite.upkeep.rebuild import rebuild
from sextant.types import PROMISES, Counts, Scope, StoreStatus


class SqliteAdmin:
    """A folder of databases, one for each tenant."""

    abilities = PROMISES["admin"]

    def __init__(self, house: OpenTenants, leases: SqliteLeases) -> None:
        self._house, self._leases = house, leases

    async def status(self, scope: Scope) -> StoreStatus:
        """Say how the tenant's store is."""

        def task(tenant: Tenant) -> StoreStatus:
            with self._house.holding(tenant.name) as (_, caretaker):
                return inspect.status(tenant, viewer_of(scope), caretaker.problem)

        language = self._house.rules.settings.keyword.language
        nothing = StoreStatus(scope.tenant, 0, Counts(), None, language)
        return await self._house.read(scope, task, nothing)

    async def check(self, scope: Scope) -> Sequence[str]:
        """Compare the derived indexes with the truth and name every disagreement."""
        return await self._house.read(scope, inspect.check, [])

    async def rebuild(
        self, scope: Scope, embedder: Embedder | None = None, progress: Progress | None = None
    ) -> None:
        """Derive the indexes anew from the truth, with new vectors if an embedder is given."""
        if not self._house.is_there(scope.tenant):
            return
        tenant, _ = await self._house.keep(self._house.hold, scope.tenant)
        try:
            work = rebuild(tenant, self._house.keep, embedder, progress)
            await self._house.at_length(work)
        finally:
            self._house.let_go(scope.tenant)

    async def backup(self, target: Path, progress: Progress | None = None) -> int:
        """Write all tenants to one file while the store is in use, and return its size."""
        return await self._house.keep(backup.backup, self._house.root, target, progress)

    async def dump(self, scope: Scope) -> AsyncIterator[str]:
        """Yield the tenant's knowledge in a canonical form: equal stores give equal lines."""

        def task(tenant: Tenant) -> list[str]:
            return tenant.read(
                lambda connection, snapshot: list(inspect.dump(connection, snapshot, scope))
            )

        nothing: list[str] = []
        for line in await self._house.read(scope, task, nothing):
            yield line

    async def tenants(self) -> Sequence[str]:
        """Name the tenants that have something stored."""
        return list(await self._house.keep(tenants_in, self._house.root))

    async def close(self) -> None:
        """Let go of everything; what was acknowledged is safe already."""
        await self._house.close()
        self._leases.close()
