"""The store on Cosmos DB keeps the promises of the ports, on an emulator of it."""

from pathlib import Path

import pytest

from sextant.ports import Store
from sextant.testing import StoreConformance
from sextant.testing.store_suite.pieces import Deaf
from tests.stores.azure.opening import azure_settings, open_azure


@pytest.fixture(autouse=True)
def _emulator(cosmosdb: str, request: pytest.FixtureRequest) -> None:
    request.cls.url = cosmosdb


class TestAzureStoreThatAsksEachTime(StoreConformance):
    """Reads its writes, in every process."""

    url = ""
    fresh_seconds = 0.0

    async def open_store(self, folder: Path) -> Store:
        settings = azure_settings(self.url, folder, fresh_seconds=self.fresh_seconds)
        return await open_azure(settings, Deaf())


class TestAzureStore(TestAzureStoreThatAsksEachTime):
    """As it is set by default."""

    fresh_seconds = 1.0
