"""The store `azure:`: its parts over one connection."""

from __future__ import annotations

from sextant.errors import ConfigError
from sextant.ports import Store
from sextant.settings import Settings
from sextant.stores.azure.connection import CosmosConnection, open_cosmos
from sextant.stores.azure.cosmos.commits import Commits
from sextant.stores.azure.cosmos.containers import Containers
from sextant.stores.azure.cosmos.parts.admin import CosmosAdmin
from sextant.stores.azure.cosmos.parts.graph import CosmosGraph
from sextant.stores.azure.cosmos.parts.records import CosmosRecords
from sextant.stores.azure.cosmos.parts.truth import CosmosTruth
from sextant.stores.azure.cosmos.sweeping import Sweeper
from sextant.stores.azure.cosmos.tenants import Tenants
from sextant.stores.memory.parts.index import MemoryIndex
from sextant.stores.memory.tenants import Tenants as MemoryTenants
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
        return await open_over(connection, settings, identity, adopt=adopt)
    except BaseException:
        await connection.close()
        raise


async def open_over(
    connection: CosmosConnection,
    settings: Settings,
    identity: EmbedderIdentity | None,
    *,
    adopt: bool = False,
) -> Store:
    """Open the store over a connection, once its containers are there."""
    containers = Containers(connection)
    await containers.check()
    tenants = Tenants(containers, settings, identity, adopts=adopt)
    commits = Commits(containers, tenants.heads)
    truth = CosmosTruth(tenants, commits, Sweeper(containers, tenants.heads))
    records = CosmosRecords(tenants)
    admin = CosmosAdmin(tenants, commits, truth, records)
    if not settings.index:
        raise ConfigError(
            "The setting azure.search_endpoint is not set, so nothing can be searched.",
            'Set it as in "https://my-service.search.windows.net", or name another `index`.',
        )
    # It gives way to the index that the settings name.
    index = MemoryIndex(MemoryTenants(settings, identity))
    return Store(truth, index, CosmosGraph(tenants), records, admin)
