"""The index in AI Search beside the embedded truth keeps every promise that it declares."""

from pathlib import Path

import pytest

from sextant.ports import Store
from sextant.testing import StoreConformance
from sextant.testing.store_suite.keeping import KeepPromises
from sextant.testing.store_suite.pieces import PiecePromises
from sextant.testing.store_suite.search import SearchPromises
from sextant.testing.store_suite.writes import WritePromises
from tests.peers.search_service.service import Fault
from tests.stores.azure.search.parts import Place


class Reached:
    """A store whose index is in the service of the test."""

    place: Place

    @pytest.fixture(autouse=True)
    def _reach(self, place: Place) -> None:
        self.place = place

    async def open_store(self, folder: Path) -> Store:
        return await self.place.open_store(folder)


class TestIndexInAzureSearch(Reached, StoreConformance):
    """All promises of a store."""


class IndexPromises(Reached, SearchPromises, WritePromises, PiecePromises, KeepPromises):
    """The promises that hang on the index."""


class TestIndexThatShowsWritesLate(IndexPromises):
    @pytest.fixture(autouse=True)
    def _lag(self, place: Place) -> None:
        place.service.lag = 2


class TestIndexThatIsBusyNowAndThen(IndexPromises):
    @pytest.fixture(autouse=True)
    def _break(self, place: Place) -> None:
        faults = {
            3: Fault(503),
            5: Fault(429, {"retry-after": "0"}),
            7: Fault(503, is_late=True),
            9: Fault(503, keys=1),
        }
        place.service.fault = lambda _, number: faults.get(number % 23)


class TestIndexThatIsSilentOnce(IndexPromises):
    @pytest.fixture(autouse=True)
    def _silence(self, place: Place) -> None:
        self.place = place.with_azure(call_seconds=0.5)
        place.service.fault = lambda operation, number: (
            Fault(is_silent=True, is_late=operation == "index") if number == 4 else None
        )
