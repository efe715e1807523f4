"""The index in AI Search beside the embedded truth keeps every promise that it declares."""

from pathlib import Path

import pytest

from sextant.ports import Store
from sextant.testing import StoreConformance
from tests.peers.search_service.service import Fault
from tests.stores.azure.search.parts import Place


class TestIndexInAzureSearch(StoreConformance):
    @pytest.fixture(autouse=True)
    def _reach(self, place: Place) -> None:
        self.place = place

    async def open_store(self, folder: Path) -> Store:
        return await self.place.open_store(folder)


class TestIndexThatShowsWritesLate(TestIndexInAzureSearch):
    @pytest.fixture(autouse=True)
    def _lag(self, place: Place) -> None:
        place.service.lag = 2


class TestIndexThatIsBusyNowAndThen(TestIndexInAzureSearch):
    @pytest.fixture(autouse=True)
    def _break(self, place: Place) -> None:
        faults = {
            3: Fault(503),
            5: Fault(429, {"retry-after": "0"}),
            7: Fault(503, is_late=True),
            9: Fault(503, keys=1),
        }
        place.service.fault = lambda _, number: faults.get(number % 11)
