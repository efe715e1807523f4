"""The index in memory for a truth in another engine: it holds what it is given, for one process."""

from __future__ import annotations

from collections.abc import Sequence

from sextant.errors import ConfigError
from sextant.settings import Settings
from sextant.stores.memory.parts.index import MemoryIndex
from sextant.stores.memory.tenants import Tenants
from sextant.types import EmbedderIdentity, Put, Scope


async def open_index(
    rest: str, settings: Settings, identity: EmbedderIdentity | None
) -> FollowingMemoryIndex:
    """Open a new, empty index."""
    if rest:
        raise ConfigError("The index in memory takes no folder.", "Write memory: alone.")
    return FollowingMemoryIndex(Tenants(settings, identity))


class FollowingMemoryIndex(MemoryIndex):
    """Units as another truth has them; gone when the process is, so it is filled anew."""

    async def held(self, scope: Scope) -> int:
        """Return up to which commit of the truth it holds the tenant's documents; 0 for none."""
        return self._tenants.tenant(scope).commit

    async def apply(
        self, scope: Scope, commit: int, puts: Sequence[Put], removed: Sequence[str]
    ) -> None:
        """Take documents in as they are now, drop others, and hold up to this commit."""
        tenant = self._tenants.made(scope)
        gone = set(removed)
        units = {name: unit for name, unit in tenant.units.items() if name not in gone}
        tenant.units = units | {put.document.id: put for put in puts}
        tenant.commit = commit

    async def clear(self, scope: Scope, identity: EmbedderIdentity | None = None) -> None:
        """Drop all that the tenant has; with an identity, vectors to come are of that embedder."""
        tenant = self._tenants.made(scope)
        tenant.units, tenant.commit = {}, 0
        self._tenants.identity = identity or self._tenants.identity

    async def close(self) -> None:
        """Forget everything."""
        self._tenants.close()
