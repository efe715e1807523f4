"""The server records in Cosmos DB keep every promise of the ports, on an emulator of it."""

from pathlib import Path

import pytest

from sextant.server_ports import ServerRecords
from sextant.testing.server_records import ServerRecordsConformance
from tests.stores.azure.opening import azure_settings, open_server_records_in_azure


@pytest.fixture(autouse=True)
def _emulator(cosmosdb: str, request: pytest.FixtureRequest) -> None:
    request.cls.url = cosmosdb


class TestAzureServerRecords(ServerRecordsConformance):
    """All of them: they last, and servers share them."""

    url = ""

    async def open_records(self, folder: Path) -> ServerRecords:
        return await open_server_records_in_azure(azure_settings(self.url, folder))
