"""The store `azure:`: its parts over one connection."""

from __future__ import annotations

from sextant.errors import ConfigError
from sextant.ports import Index, Store
from sextant.settings import Settings
from sextant.stores.azure.connection import open_cosmos
from sextant.stores.azure.cosmos.commits import Commits
from sextant.stores.azure.cosmos.containers import Containers, Kind
from sextant.stores.azure.cosmos.parts.admin import CosmosAdmin
from sextant.stores.azure.cosmos.parts.graph import CosmosGraph
from sextant.stores.azure.cosmos.parts.records import CosmosRecords
from sextant.stores.azure.cosmos.parts.truth import CosmosTruth
from sextant.stores.azure.cosmos.sweeping import Sweeper
from sextant.stores.azure.cosmos.tenants import Tenants
from sextant.stores.azure.foreign.parts import Close, ForeignAdmin, ForeignGraph, ForeignTruth
from sextant.stores.azure.search.index import open_index
from sextant.stores.azure.search.read_only import open_read_only
from sextant.stores.memory.parts.index import MemoryIndex
from sextant.stores.memory.parts.records import MemoryRecords
from sextant.stores.memory.tenants import Tenants as MemoryTenants
from sextant.stores.paired.store import pair
from sextant.types import EmbedderIdentity


async def open_store(
    rest: str, settings: Settings, identity: EmbedderIdentity | None, *, adopt: bool = False
) -> Store:
    """Open the store that [azure] names."""
    if rest:
        raise ConfigError(
            "azure: takes no name.", "Write azure: alone, and the endpoints into [azure]."
        )
    connection = open_cosmos(settings.azure)
    try:
        containers = Containers(connection)
        if settings.azure.read_only:
            return await _open_read_only(containers, settings, identity)
        await containers.check()
        store = open_over(containers, settings, identity, adopt=adopt)
        if settings.index:
            return store
        return pair(store, await open_index(settings, identity), settings.limits)
    except BaseException:
        await connection.close()
        raise


async def _open_read_only(
    containers: Containers, settings: Settings, identity: EmbedderIdentity | None
) -> Store:
    """Return a store over what somebody else fills; its records last as long as the process."""
    await containers.check([Kind.ENTITIES, Kind.RELATIONS, Kind.CHUNKS])
    index = await open_read_only(settings, identity)
    return read_only_store(containers, settings, index, index.close)


def read_only_store(
    containers: Containers, settings: Settings, index: Index, close_index: Close | None = None
) -> Store:
    """Return the parts over containers and an index of somebody else."""
    return Store(
        ForeignTruth(containers, settings),
        index,
        ForeignGraph(containers, settings),
        MemoryRecords(MemoryTenants(settings, None)),
        ForeignAdmin(containers, settings, close_index),
    )


def open_over(
    containers: Containers,
    settings: Settings,
    identity: EmbedderIdentity | None,
    *,
    adopt: bool = False,
) -> Store:
    """Return the store over containers that are there; it has no index of its own."""
    tenants = Tenants(containers, settings, identity, adopts=adopt)
    commits = Commits(containers, tenants.heads)
    sweeper = Sweeper(containers, tenants.heads)
    truth = CosmosTruth(tenants, commits, sweeper)
    records = CosmosRecords(tenants)
    admin = CosmosAdmin(tenants, commits, truth, records, sweeper)
    # It gives way to the index that the settings name, or to the one in AI Search.
    none = MemoryIndex(MemoryTenants(settings, identity))
    return Store(truth, none, CosmosGraph(tenants), records, admin)
