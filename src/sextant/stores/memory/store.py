"""The store in memory behind the five ports."""

from __future__ import annotations

from sextant.errors import ConfigError
from sextant.ports import Store
from sextant.settings import Settings
from sextant.stores.memory.parts.admin import MemoryAdmin
from sextant.stores.memory.parts.graph import MemoryGraph
from sextant.stores.memory.parts.index import MemoryIndex
from sextant.stores.memory.parts.records import MemoryRecords
from sextant.stores.memory.parts.tools import MemoryTools
from sextant.stores.memory.parts.truth import MemoryTruth
from sextant.stores.memory.tenants import Tenants
from sextant.types import EmbedderIdentity


async def open_store(
    rest: str,
    settings: Settings,
    identity: EmbedderIdentity | None,
    *,
    adopt: bool = False,  # noqa: ARG001 - a new store has nothing to adopt
) -> Store:
    """Open a new, empty store."""
    if rest:
        raise ConfigError("The memory store takes no folder.", "Write memory: alone.")
    return new_store(settings, identity)


def new_store(settings: Settings, identity: EmbedderIdentity | None) -> Store:
    """Return a new, empty store."""
    tenants = Tenants(settings, identity)
    return store_of(tenants, MemoryTruth(tenants))


def store_of(tenants: Tenants, truth: MemoryTruth) -> Store:
    """Return the parts of a store over the same tenants."""
    return Store(
        truth,
        MemoryIndex(tenants),
        MemoryGraph(tenants),
        MemoryRecords(tenants),
        MemoryAdmin(tenants, truth),
        MemoryTools(tenants),
    )
