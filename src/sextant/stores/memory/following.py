"""The index in memory for a truth in another engine: it holds what it is given, for one process."""

from __future__ import annotations

from collections import defaultdict

from sextant.errors import ConfigError, Outdated
from sextant.settings import Settings
from sextant.stores.memory.parts.index import MemoryIndex
from sextant.stores.memory.tenants import Tenants
from sextant.types import EmbedderIdentity, IndexChange, IndexPosition, Scope


async def open_index(
    rest: str, settings: Settings, identity: EmbedderIdentity | None
) -> FollowingMemoryIndex:
    """Open a new, empty index."""
    if rest:
        raise ConfigError("The index in memory takes no folder.", "Write memory: alone.")
    return FollowingMemoryIndex(Tenants(settings, identity))


class FollowingMemoryIndex(MemoryIndex):
    """Units as another truth has them; gone when the process is, so it is filled anew."""

    def __init__(self, tenants: Tenants) -> None:
        super().__init__(tenants)
        self._positions: defaultdict[str, IndexPosition] = defaultdict(IndexPosition)

    async def held(self, scope: Scope) -> IndexPosition:
        """Return up to which commit of the truth it holds the tenant's documents; 0 for none."""
        return self._positions[scope.tenant]

    async def apply(self, scope: Scope, change: IndexChange) -> IndexPosition:
        """Take documents in as they are now, drop others, and return the position after that."""
        at = self._positions[scope.tenant]
        if at != change.over:
            raise Outdated("The index has changed since.", "Ask what it holds, and try again.")
        tenant = self._tenants.made(scope)
        gone = set(change.removed)
        units = {name: unit for name, unit in tenant.units.items() if name not in gone}
        tenant.units = units | {put.document.id: put for put in change.puts}
        tenant.commit = change.commit
        new = IndexPosition(change.commit, at.changes + 1, change.history)
        self._positions[scope.tenant] = new
        return new

    async def clear(self, scope: Scope, identity: EmbedderIdentity | None = None) -> None:
        """Drop all that the tenant has; with an identity, vectors to come are of that embedder."""
        tenant = self._tenants.made(scope)
        tenant.units, tenant.commit = {}, 0
        self._positions[scope.tenant] = IndexPosition(
            changes=self._positions[scope.tenant].changes + 1
        )
        self._tenants.identity = identity or self._tenants.identity

    async def close(self) -> None:
        """Forget everything."""
        self._tenants.close()
