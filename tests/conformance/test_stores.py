"""The stores that ship with Sextant keep every promise of the ports."""

from pathlib import Path
from unittest import SkipTest

import pytest

from sextant.ports import Store
from sextant.settings import Settings, SqliteSettings
from sextant.stores.memory.store import open_store as open_memory
from sextant.stores.sqlite.store import open_store as open_sqlite
from sextant.testing import StoreConformance
from sextant.testing.stores import IDENTITY
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
    lasts = False

    async def open_store(self, folder: Path) -> Store:  # noqa: ARG002
        return await open_memory("", Settings(), IDENTITY)


class TestStoreWhoseCommitNumbersHaveGaps(StoreConformance):
    lasts = False

    async def open_store(self, folder: Path) -> Store:  # noqa: ARG002
        return sparse_store(Settings(), IDENTITY)


class TestStoreOfAnotherScale(StoreConformance):
    lasts = False
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
    with pytest.raises(SkipTest, match=r"^Not checked: .*not exact"):
        TestStoreOfAnotherScale().test_keyword_scores_are_those_of_bm25(tmp_path)


def test_what_no_store_in_memory_can_do_is_said_not_to_be_checked(tmp_path: Path) -> None:
    with pytest.raises(SkipTest, match=r"^Not checked: "):
        TestStoreInMemory().test_what_was_acknowledged_is_there_after_reopening(tmp_path)
