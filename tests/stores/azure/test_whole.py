"""The whole store `azure:`: Cosmos DB and AI Search together, both on the loopback device."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sextant.ports import Store
from sextant.stores.azure.connection import open_cosmos
from sextant.stores.azure.cosmos.containers import Containers
from sextant.stores.azure.store import open_over
from sextant.stores.paired.store import pair
from sextant.testing import StoreConformance
from sextant.testing.store_suite.suite import IDENTITY
from tests.stores.azure.opening import azure_settings, emulator_key, make_database
from tests.stores.azure.search.parts import Place, running_service


@pytest.fixture(scope="module")
def search_place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with running_service(tmp_path_factory.mktemp("search")) as place:
        yield place


@pytest.fixture(autouse=True)
def _services(cosmosdb: str, search_place: Place, request: pytest.FixtureRequest) -> None:
    fresh = type(search_place.service)()
    search_place.service.__dict__.update(fresh.__dict__)
    request.cls.url, request.cls.place = cosmosdb, search_place


class TestWholeAzureStore(StoreConformance):
    url: str
    place: Place

    async def open_store(self, folder: Path) -> Store:
        settings = azure_settings(self.url, folder)
        azure = replace(self.place.settings.azure, search_index=settings.azure.database)
        own = replace(self.place, settings=replace(self.place.settings, azure=azure))
        index = await own.open_index()
        with emulator_key():
            await make_database(settings)
            containers = Containers(open_cosmos(settings.azure))
        return pair(open_over(containers, settings, IDENTITY), index, settings.limits)
