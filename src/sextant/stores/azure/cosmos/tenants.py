"""What the parts of the store share: heads, and what a scope sees at the last commit."""

from __future__ import annotations

from sextant import limits
from sextant.settings import Settings
from sextant.stores.azure.cosmos.containers import Containers
from sextant.stores.azure.cosmos.heads import Head, Heads
from sextant.stores.azure.cosmos.snapshot import Snapshot
from sextant.types import EmbedderIdentity, Scope

_MOST_SNAPSHOTS = 64
"""Views of tenants that are remembered at once; the one not used for longest gives way."""


class Tenants:
    """Every tenant in one database, and what the store was opened with."""

    def __init__(
        self,
        containers: Containers,
        settings: Settings,
        identity: EmbedderIdentity | None,
        *,
        adopts: bool = False,
    ) -> None:
        self.containers, self.settings, self.identity = containers, settings, identity
        self.heads, self.adopts = Heads(containers), adopts
        self._snapshots: dict[tuple[str, frozenset[str] | None], Snapshot] = {}

    @property
    def width(self) -> int:
        """How wide the vectors are; 0 without an embedder."""
        return self.identity.width if self.identity else 0

    def check(self, scope: Scope) -> Scope:
        """Return the scope if it can be one."""
        limits.check_scope(scope, self.settings.limits)
        return scope

    async def seen(self, scope: Scope) -> Snapshot:
        """Return what the scope sees at the last commit."""
        self.check(scope)
        head = await self.heads.recent(scope.tenant)
        personas = None if scope.sees_all else scope.personas
        key = (scope.tenant, personas)
        known = self._snapshots.pop(key, None)
        if known is None or not _is_same(known.head, head):
            known = Snapshot(self.containers, head, personas)
        self._snapshots[key] = known
        if len(self._snapshots) > _MOST_SNAPSHOTS:
            del self._snapshots[next(iter(self._snapshots))]
        return known


def _is_same(one: Head, other: Head) -> bool:
    """Whether two heads stand for the same knowledge."""
    return (one.commit, one.history, one.dead) == (other.commit, other.history, other.dead)
