"""Counting calls, and how many of them wait for each other."""

import asyncio
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

_QUIET = 200
"""Turns of the event loop in which no further call begins, before those that came back go on."""


class Tally:
    """Calls, and waves of them that wait for each other, as if all took the same time.

    No answer is handed on while another one is awaited or a further call may still begin: so a call
    of the next wave is one that would not have been made without an answer of this one.
    """

    def __init__(self) -> None:
        self.calls = 0
        self.waves = 0
        self.asked: list[str] = []
        self._under_way = 0
        self._wave: asyncio.Event | None = None
        self._release: asyncio.Task[None] | None = None

    def begin(self, what: str) -> asyncio.Event:
        """A call begins; what is returned says when its answer goes on."""
        if self._wave is None:
            self._wave = asyncio.Event()
            self.waves += 1
        self.calls += 1
        self._under_way += 1
        self.asked.append(f"{self.waves} {what}")
        return self._wave

    def end(self) -> None:
        """A call ends; with the last one that is under way, the wave does."""
        self._under_way -= 1
        if not self._under_way:
            self._release = asyncio.create_task(self._released_when_quiet(self.calls))

    def clear(self) -> None:
        """Count from 0."""
        self.calls = self.waves = 0
        self.asked.clear()

    async def _released_when_quiet(self, calls: int) -> None:
        for _ in range(_QUIET):
            await asyncio.sleep(0)
            if self.calls != calls:
                return
        if self._wave:
            self._wave.set()
            self._wave = None


class CountingTransport(AioHttpTransport):  # type: ignore[misc]
    """Carries requests, and counts them together with those of other transports."""

    def __init__(self, tally: Tally, **options: Any) -> None:
        super().__init__(**options)
        self._tally = tally

    async def send(self, request: Any, **config: Any) -> Any:
        what = f"{request.method} {request.url} {str(request.body or '')[:300]}"
        wave = self._tally.begin(what)
        try:
            response = await super().send(request, **config)
        finally:
            self._tally.end()
        await wave.wait()
        return response


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
