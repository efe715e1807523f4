"""Calls on the containers of a database, one method each. Knows what is tried again, and no item.

Every item has the tenant as its partition key. A replacement names the etag that it was made over,
and carries a stamp: so a call that was carried out although its answer got lost is recognised when
it is tried again.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from enum import StrEnum
from typing import Any, TypeVar

from azure.core import MatchConditions
from azure.core.exceptions import ResourceNotFoundError
from azure.cosmos.aio import ContainerProxy

from sextant.errors import ConfigError, Conflict, Outdated
from sextant.settings import AzureSettings
from sextant.stores.azure.connection import CosmosConnection

T = TypeVar("T")
Item = dict[str, Any]

PARTITION_KEY = "/tenant"

_PAGE = 1_000
"""Items of one page; a page ends earlier where it has 4 MB, which is the service's own limit."""


class Kind(StrEnum):
    """What a container holds."""

    ENTITIES = "entities"
    RELATIONS = "relations"
    CHUNKS = "chunks"
    RECORDS = "records"


def container_names(settings: AzureSettings) -> dict[Kind, str]:
    """Return what the containers are called."""
    return {
        Kind.ENTITIES: settings.entities_container,
        Kind.RELATIONS: settings.relations_container,
        Kind.CHUNKS: settings.chunks_container,
        Kind.RECORDS: settings.records_container,
    }


class Containers:
    """The containers of one database."""

    def __init__(
        self, connection: CosmosConnection, clock: Callable[[], float] = time.time
    ) -> None:
        self.settings, self.clock = connection.settings, clock
        self._connection = connection
        database = connection.client.get_database_client(self.settings.database)
        self._proxies: dict[Kind, ContainerProxy] = {
            kind: database.get_container_client(name)
            for kind, name in container_names(self.settings).items()
        }

    async def check(self, kinds: Iterable[Kind] = Kind) -> None:
        """Make sure that containers are there, and fit if we write, or raise ConfigError."""
        await self.run_all(self._check(kind) for kind in kinds)

    async def _check(self, kind: Kind) -> None:
        properties = await self._connection.call(self._proxies[kind].read)
        paths = properties["partitionKey"]["paths"]
        if paths != [PARTITION_KEY] and not self.settings.read_only:
            name = container_names(self.settings)[kind]
            raise ConfigError(
                f"The container {name} has the partition key {', '.join(paths)}, "
                f"not {PARTITION_KEY}.",
                "Name another one in [azure], or set azure.read_only to read what others keep.",
            )

    async def run_all(self, calls: Iterable[Awaitable[T]]) -> list[T]:
        """Run calls, azure.concurrency of them at once; the first error ends all."""
        places = asyncio.Semaphore(self.settings.concurrency)

        async def run(call: Awaitable[T]) -> T:
            async with places:
                return await call

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(run(call)) for call in calls]
        except BaseExceptionGroup as several:
            raise several.exceptions[0] from None
        return [task.result() for task in tasks]

    async def read(self, kind: Kind, tenant: str, item_id: str) -> Item | None:
        """Return an item, or None where there is none."""

        async def task() -> Item | None:
            with suppress(ResourceNotFoundError):
                return dict(await self._proxies[kind].read_item(item_id, tenant))
            return None

        return await self._connection.call(task)

    async def query(
        self, kind: Kind, tenant: str | None, sql: str, parameters: Item | None = None
    ) -> list[Any]:
        """Return all that a query finds, page by page, in one tenant or in all of them."""
        own: Item = {} if tenant is None else {"partition_key": tenant}
        named = [{"name": f"@{name}", "value": value} for name, value in (parameters or {}).items()]
        pages = (
            self._proxies[kind]
            .query_items(sql, parameters=named, max_item_count=_PAGE, **own)
            .by_page()
        )

        async def task() -> list[Any] | None:
            with suppress(StopAsyncIteration):
                return [item async for item in await anext(pages)]
            return None

        found: list[Any] = []
        while (page := await self._connection.call(task)) is not None:
            found += page
        return found

    async def upsert(self, kind: Kind, item: Item) -> None:
        """Write an item whatever is there."""
        await self._connection.call(lambda: self._proxies[kind].upsert_item(item))

    async def create(self, kind: Kind, item: Item) -> Item:
        """Write an item where there is none, or raise Conflict; return it with its etag."""
        stamped = {**item, "stamp": secrets.token_hex(8)}

        async def task() -> Item:
            return dict(await self._proxies[kind].create_item(stamped))

        try:
            return await self._connection.call(task)
        except Conflict:
            return await self._if_ours(kind, stamped)

    async def replace(self, kind: Kind, item: Item) -> Item:
        """Replace an item if it has the etag that is named, or raise Outdated."""
        stamped = {**item, "stamp": secrets.token_hex(8)}

        async def task() -> Item:
            return dict(
                await self._proxies[kind].replace_item(
                    stamped["id"],
                    stamped,
                    etag=stamped["_etag"],
                    match_condition=MatchConditions.IfNotModified,
                )
            )

        try:
            return await self._connection.call(task)
        except (Outdated, ConfigError):  # somebody else replaced it, or removed it
            return await self._if_ours(kind, stamped)

    async def patch(self, kind: Kind, tenant: str, item: Item, values: Item) -> None:
        """Set fields of an item if it has the etag that is named, or raise Outdated."""
        operations = [
            {"op": "set", "path": f"/{name}", "value": value} for name, value in values.items()
        ]
        await self._connection.call(
            lambda: self._proxies[kind].patch_item(
                item["id"],
                tenant,
                operations,
                etag=item["_etag"],
                match_condition=MatchConditions.IfNotModified,
            )
        )

    async def delete(self, kind: Kind, tenant: str, item_id: str) -> None:
        """Delete an item; one that is not there is deleted already."""
        await self._connection.call(lambda: self._delete(kind, tenant, item_id))

    async def _delete(self, kind: Kind, tenant: str, item_id: str) -> None:
        with suppress(ResourceNotFoundError):
            await self._proxies[kind].delete_item(item_id, tenant)

    async def _if_ours(self, kind: Kind, stamped: Item) -> Item:
        """Return the item that is there if an earlier try of ours wrote it."""
        found = await self.read(kind, stamped["tenant"], stamped["id"])
        if found is None or found.get("stamp") != stamped["stamp"]:
            raise Outdated("The item has changed since it was read.", "Read it again.")
        return found

    async def close(self) -> None:
        """Let go of the connection."""
        await self._connection.close()
