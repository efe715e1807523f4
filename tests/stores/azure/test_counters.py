"""Counters in Cosmos DB stay right when there are too many for one item."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from sextant.testing.store_suite.pieces import Deaf
from sextant.types import Scope
from tests.stores.azure.opening import azure_settings, emulator_key, open_azure

SCOPE = Scope("acme")
MANY = 2_500


@pytest.fixture(autouse=True)
def _key() -> Iterator[None]:
    with emulator_key():
        yield


def test_counters_that_were_moved_are_counted_on(cosmosdb: str, tmp_path: Path) -> None:
    async def run() -> None:
        store = await open_azure(azure_settings(cosmosdb, tmp_path), Deaf())
        try:
            names = [f"counter {at}" for at in range(MANY)]
            await store.records.count(SCOPE, dict.fromkeys(names, 1))
            for _ in range(2):
                assert set((await store.records.counters(SCOPE, names)).values()) == {1}
            assert await store.records.count(SCOPE, {names[7]: 2, "new": 5}) == {
                names[7]: 3,
                "new": 5,
            }
            assert await store.records.set_counter(SCOPE, names[8], 9, 1)
            assert not await store.records.set_counter(SCOPE, names[9], 9, 0)
            read = await store.records.counters(SCOPE, [names[7], names[8], names[9], "none"])
            assert list(read.values()) == [3, 9, 1, 0]
        finally:
            await store.admin.close()

    asyncio.run(run())
