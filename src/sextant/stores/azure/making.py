"""Making the database and its containers, or saying what would be made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from azure.cosmos import PartitionKey

from sextant.settings import AzureSettings, Settings
from sextant.stores.azure.connection import CosmosConnection, open_cosmos
from sextant.stores.azure.cosmos.containers import (
    PARTITION_KEY,
    Containers,
    Kind,
    container_names,
)
from sextant.stores.azure.refusals import read_only
from sextant.stores.azure.search.client import open_connection
from sextant.stores.azure.search.making import make_index

_NOT_INDEXED: dict[Kind, tuple[str, ...]] = {
    Kind.CHUNKS: ("/content/?", "/contentVector/*", "/pieces/*", "/document/*"),
    Kind.ENTITIES: ("/metadata/*",),
    Kind.RELATIONS: (),
    Kind.RECORDS: ("/document/*", "/body/?", "/state/?", "/text/?", "/counters/*"),
}
"""What is never searched by: to index it would cost most of what a write costs."""


@dataclass(frozen=True, slots=True)
class ContainerPlan:
    """A container as it is to be made."""

    name: str
    partition_key: str
    indexing_policy: dict[str, Any]


def plan_containers(settings: AzureSettings) -> Sequence[ContainerPlan]:
    """Return the containers that the settings name."""
    return [
        ContainerPlan(name, PARTITION_KEY, _indexing_policy(_NOT_INDEXED[kind]))
        for kind, name in container_names(settings).items()
    ]


def _indexing_policy(left_out: Sequence[str]) -> dict[str, Any]:
    return {
        "indexingMode": "consistent",
        "automatic": True,
        "includedPaths": [{"path": "/*"}],
        "excludedPaths": [{"path": path} for path in (*left_out, '/"_etag"/?')],
    }


async def make_all(settings: Settings, width: int) -> None:
    """Make the containers, and the index where a search service is named."""
    if settings.azure.read_only:
        raise read_only()
    connection = open_cosmos(settings.azure)
    try:
        await make_containers(connection)
    finally:
        await connection.close()
    if settings.azure.search_endpoint:
        search = open_connection(settings.azure)
        try:
            await make_index(search, settings, width)
        finally:
            await search.close()


async def make_containers(connection: CosmosConnection) -> None:
    """Make the database and those of its containers that are not there; others have to fit."""
    settings = connection.settings
    client = connection.client
    database = await connection.call(
        lambda: client.create_database_if_not_exists(settings.database)
    )
    for plan in plan_containers(settings):
        await connection.call(
            lambda plan=plan: database.create_container_if_not_exists(  # type: ignore[misc]
                plan.name,
                PartitionKey(plan.partition_key),
                indexing_policy=plan.indexing_policy,
            )
        )
    await Containers(connection).check()
