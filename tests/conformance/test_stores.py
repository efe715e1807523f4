"""The stores that ship with Sextant keep every promise of the ports."""

from dataclasses import replace
from pathlib import Path
from unittest import SkipTest

import pytest

from sextant.build import open_store
from sextant.ports import Store
from sextant.query import Query
from sextant.settings import Settings, SqliteSettings
from sextant.stores.memory.following import FollowingMemoryIndex
from sextant.stores.memory.store import open_store as open_memory
from sextant.stores.memory.tenants import Tenants
from sextant.stores.paired.store import pair
from sextant.stores.sqlite.store import open_store as open_sqlite
from sextant.testing import StoreConformance
from sextant.testing.store_suite.pieces import Deaf
from sextant.testing.store_suite.suite import IDENTITY
from sextant.types import PROMISES, Found, IndexChange, IndexPosition, Scope, StoreAbility
from tests.stores.scaled import scaled_store
from tests.stores.sparse import sparse_store


class TestEmbeddedStore(StoreConformance):
    async def open_store(self, folder: Path) -> Store:
        return await open_sqlite(str(folder / "store"), Settings(), IDENTITY)


class TestEmbeddedStoreThatWritesSegmentsAllTheTime(StoreConformance):
    async def open_store(self, folder: Path) -> Store:
        settings = Settings(sqlite=SqliteSettings(flush_chunks=1))
        return await open_sqlite(str(folder / "store"), settings, IDENTITY)


class TestStoreInMemory(StoreConformance):
    async def open_store(self, folder: Path) -> Store:  # noqa: ARG002
        return await open_memory("", Settings(), IDENTITY)


class TestStoreWhoseCommitNumbersHaveGaps(StoreConformance):
    async def open_store(self, folder: Path) -> Store:  # noqa: ARG002
        return sparse_store(Settings(), IDENTITY)


class TestStoreOfAnotherScale(StoreConformance):
    is_honest = True

    async def open_store(self, folder: Path) -> Store:  # noqa: ARG002
        opened = await open_memory("", Settings(), IDENTITY)
        return scaled_store(opened, is_honest=self.is_honest)


class Boaster(TestStoreOfAnotherScale):
    __test__ = False
    is_honest = False


def test_scores_that_are_called_exact_and_are_not_fail_the_suite(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"6\.68"):
        Boaster().test_keyword_scores_are_those_of_bm25(tmp_path)
    with pytest.raises(SkipTest, match="exact scores"):
        TestStoreOfAnotherScale().test_keyword_scores_are_those_of_bm25(tmp_path)


class TestEmbeddedTruthWithAnIndexInMemory(StoreConformance):
    async def open_store(self, folder: Path) -> Store:
        settings = Settings(store=f"sqlite:{folder}/store", index="memory:")
        return await open_store(settings, Deaf())


class LateIndex(FollowingMemoryIndex):
    """An index in which what it took in is found only at the second search after that."""

    abilities = PROMISES["index"] - {StoreAbility.READ_YOUR_WRITES}

    def __init__(self, tenants: Tenants, shown: Tenants) -> None:
        super().__init__(tenants)
        self._shown = FollowingMemoryIndex(shown)
        self._waiting: list[tuple[Scope, IndexChange]] = []

    async def apply(self, scope: Scope, change: IndexChange) -> IndexPosition:
        position = await super().apply(scope, change)
        self._waiting.append((scope, change))
        return position

    async def search(self, scope: Scope, query: Query) -> Found:
        found = await self._shown.search(scope, replace(query, at_least=0))
        while self._waiting:
            own, change = self._waiting.pop(0)
            await self._shown.apply(own, replace(change, over=await self._shown.held(own)))
        return found


class TestEmbeddedTruthWithAnIndexThatTakesItsTime(StoreConformance):
    async def open_store(self, folder: Path) -> Store:
        store = await open_sqlite(str(folder / "store"), Settings(), IDENTITY)
        late = LateIndex(Tenants(Settings(), IDENTITY), Tenants(Settings(), IDENTITY))
        return pair(store, late, Settings().limits)


@pytest.mark.parametrize(
    ("suite", "test"),
    [
        (TestStoreInMemory, "test_what_was_acknowledged_is_there_after_reopening"),
        (
            TestEmbeddedTruthWithAnIndexThatTakesItsTime,
            "test_a_search_sees_the_commit_that_it_asks_for",
        ),
    ],
)
def test_what_a_store_does_not_promise_is_said_not_to_be_checked(
    tmp_path: Path, suite: type[StoreConformance], test: str
) -> None:
    with pytest.raises(SkipTest, match=r"^Not checked: \w+ does not promise [\w ]+\.$"):
        getattr(suite(), test)(tmp_path)
