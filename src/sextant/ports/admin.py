"""Administration: what somebody who runs a store needs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sextant.ports.models import Embedder
    from sextant.types import Scope, StoreAbility, StoreStatus

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much is done and how much there is."""


class Upkeep(Protocol):
    """How a tenant's store is, and what makes it well again."""

    async def status(self, scope: Scope) -> StoreStatus:
        """Say how the tenant's store is."""

    async def check(self, scope: Scope) -> Sequence[str]:
        """Compare the derived indexes with the truth and name every disagreement."""

    async def rebuild(
        self, scope: Scope, embedder: Embedder | None = None, progress: Progress | None = None
    ) -> None:
        """Derive the indexes anew from the truth, with new vectors if an embedder is given."""


class Admin(Upkeep, Protocol):
    """All that concerns a store as a whole."""

    @property
    def abilities(self) -> frozenset[StoreAbility]:
        """What is promised of that which engines differ in."""

    async def tenants(self) -> Sequence[str]:
        """Name the tenants that have something stored."""

    async def backup(self, target: Path, progress: Progress | None = None) -> int:
        """Write all tenants to one file while the store is in use, and return its size."""

    def dump(self, scope: Scope) -> AsyncIterator[str]:
        """Yield the tenant's knowledge in a canonical form: equal stores give equal lines."""

    async def close(self) -> None:
        """Let go of everything; what was acknowledged is safe already."""
