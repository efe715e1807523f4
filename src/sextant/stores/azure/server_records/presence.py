"""Which servers are here: each has an item that says until when, and writes it anew in time.

Times are of the servers' own clocks, so those have to agree within some seconds, as leases need it.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from contextlib import suppress

from sextant.errors import SextantError
from sextant.stores.azure.cosmos.containers import Containers, Item, Kind
from sextant.stores.azure.server_records.partition import SERVERS, find_records, record_id

_KIND = "server"
_HERE = 60.0
"""Seconds for which a server is taken to be here; it takes so long until a killed one is gone."""
_RENEWED = 10.0
"""Seconds until it says so again: five times in vain, and it is still here."""
_log = logging.getLogger(__name__)


class CosmosPresence:
    """Says that this server is here, under a name of its own, and who else is."""

    def __init__(self, containers: Containers) -> None:
        self._containers = containers
        self._name = secrets.token_hex(8)
        self._renewing: asyncio.Task[None] | None = None
        self._arriving = asyncio.Lock()

    @property
    def name(self) -> str:
        """The name of this server."""
        return self._name

    async def is_alive(self, name: str) -> bool:
        """Whether the server of that name goes on."""
        if name == self._name:
            return self._renewing is not None
        item = await self._containers.read(Kind.RECORDS, SERVERS, record_id(_KIND, name))
        return item is not None and item["until"] > self._containers.clock()

    async def arrive(self) -> None:
        """Say that this server is here, and go on saying so; what the dead left is removed."""
        async with self._arriving:
            if self._renewing is None:
                await self._containers.upsert(Kind.RECORDS, self._item())
                self._renewing = asyncio.create_task(self._renew())
                await self._sweep()

    async def leave(self) -> None:
        """Be here no longer."""
        if self._renewing is None:
            return
        self._renewing.cancel()
        with suppress(asyncio.CancelledError):
            await self._renewing
        self._renewing = None
        with suppress(SextantError):  # then it is over when its time is
            await self._containers.delete(Kind.RECORDS, SERVERS, record_id(_KIND, self._name))

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(_RENEWED)
            try:
                await self._containers.upsert(Kind.RECORDS, self._item())
            except SextantError as error:
                _log.warning("This server cannot say that it is here: %s", error)

    async def _sweep(self) -> None:
        for name in await self._gone():
            await self._containers.delete(Kind.RECORDS, SERVERS, record_id(_KIND, name))

    async def _gone(self) -> list[str]:
        over = await find_records(
            self._containers, _KIND, "c.until < @now", {"now": self._containers.clock() - _HERE}
        )
        return [item["name"] for item in over]

    def _item(self) -> Item:
        return {
            "id": record_id(_KIND, self._name),
            "tenant": SERVERS,
            "kind": _KIND,
            "name": self._name,
            "until": self._containers.clock() + _HERE,
        }


async def living_servers(containers: Containers) -> set[str]:
    """Name the servers that are here."""
    found = await find_records(
        containers, _KIND, "c.until > @now", {"now": containers.clock()}, fields="c.name"
    )
    return {item["name"] for item in found}
