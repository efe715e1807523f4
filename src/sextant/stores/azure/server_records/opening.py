"""`serve.records = "azure:"`: the records of servers, beside those of tenants in one container."""

from __future__ import annotations

from sextant.errors import ConfigError
from sextant.settings import Settings
from sextant.stores.azure.connection import open_cosmos
from sextant.stores.azure.cosmos.containers import Containers, Kind
from sextant.stores.azure.server_records.jobs import CosmosJobs
from sextant.stores.azure.server_records.keys import CosmosKeys
from sextant.stores.azure.server_records.presence import CosmosPresence
from sextant.stores.azure.server_records.replies import CosmosReplies


async def open_records(rest: str, settings: Settings) -> CosmosServerRecords:
    """Open the records in the database that [azure] names."""
    if rest:
        raise ConfigError(
            "azure: takes no name.", "Write azure: alone, and the endpoint into [azure]."
        )
    containers = Containers(open_cosmos(settings.azure))
    try:
        await containers.check([Kind.RECORDS])
    except BaseException:
        await containers.close()
        raise
    return CosmosServerRecords(containers)


class CosmosServerRecords:
    """All parts, over one connection."""

    def __init__(self, containers: Containers) -> None:
        self._containers = containers
        self._presence = CosmosPresence(containers)
        self._keys, self._replies = CosmosKeys(containers), CosmosReplies(containers)
        self._jobs = CosmosJobs(containers)

    async def open_keys(self) -> CosmosKeys:
        """Return the keys."""
        return self._keys

    async def open_jobs(self) -> CosmosJobs:
        """Return the jobs."""
        return self._jobs

    async def open_replies(self) -> CosmosReplies:
        """Return the replies."""
        return self._replies

    async def open_presence(self) -> CosmosPresence:
        """Say that this server is here, until the records are closed."""
        await self._presence.arrive()
        return self._presence

    async def close(self) -> None:
        """Say that this server is gone, and let go of the connection."""
        try:
            await self._presence.leave()
        finally:
            await self._containers.close()
