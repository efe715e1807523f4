"""Counting calls, and how many of them wait for each other."""

from dataclasses import replace
from typing import Any

from azure.core.pipeline.transport import AioHttpTransport

from sextant.build import open_embedder
from sextant.core import Sextant
from sextant.settings import Settings
from sextant.stores.azure.connection import open_cosmos
from sextant.stores.azure.cosmos.containers import Containers
from sextant.stores.azure.search.definition import index_definition
from sextant.stores.azure.search.index import open_index
from sextant.stores.azure.store import open_over
from sextant.stores.paired.store import pair
from tests.stores.azure.opening import azure_settings, make_database
from tests.stores.azure.search.parts import Place, Token


class Tally:
    """Calls, and waves: a call that begins while none is under way begins a new one."""

    def __init__(self) -> None:
        self.calls = 0
        self.waves = 0
        self.under_way = 0
        self.asked: list[str] = []

    def begin(self, what: str) -> None:
        """A call begins."""
        self.calls += 1
        self.waves += self.under_way == 0
        self.under_way += 1
        self.asked.append(f"{self.waves} {what}")

    def end(self) -> None:
        """A call ends."""
        self.under_way -= 1

    def clear(self) -> None:
        """Count from 0."""
        self.calls = self.waves = 0
        self.asked.clear()


class CountingTransport(AioHttpTransport):  # type: ignore[misc]
    """Carries requests, and counts them together with those of other transports."""

    def __init__(self, tally: Tally, **options: Any) -> None:
        super().__init__(**options)
        self._tally = tally

    async def send(self, request: Any, **config: Any) -> Any:
        self._tally.begin(f"{request.method} {request.url} {str(request.body or '')[:300]}")
        try:
            return await super().send(request, **config)
        finally:
            self._tally.end()


def both_services(url: str, place: Place, name: str, embedder: str) -> Settings:
    """Return settings for a database and an index that nobody else uses.

    The head of a tenant is read once: how often it is read anew depends on how fast the machine is.
    """
    own = azure_settings(url, name, fresh_seconds=600.0, call_seconds=60.0)
    azure = replace(own.azure, search_endpoint=place.settings.azure.search_endpoint)
    return replace(own, index="", embedder=embedder, azure=azure)


async def make_both(settings: Settings, place: Place) -> None:
    """Make the database and the index."""
    embedder = open_embedder(settings)
    width = embedder.identity.width
    await embedder.close()
    await make_database(settings)
    connection = replace(place, settings=settings).connect()
    try:
        await connection.define(index_definition(settings, width))
    finally:
        await connection.close()


async def open_counted(settings: Settings, place: Place, tally: Tally) -> Sextant:
    """Open Cosmos DB and AI Search as a process does that has asked nothing yet."""
    embedder = open_embedder(settings)
    index = await open_index(
        *(settings, embedder.identity, Token()),
        lambda: CountingTransport(tally, connection_verify=str(place.certificate)),
    )
    containers = Containers(open_cosmos(settings.azure, CountingTransport(tally)))
    await containers.check()
    truth = open_over(containers, settings, embedder.identity)
    return Sextant(pair(truth, index, settings.limits), embedder, settings)
