"""Processes that share a database see what the others wrote, and take turns."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sextant.testing.store_suite.pieces import Deaf
from sextant.types import Document, Put, Scope
from tests.stores.azure.opening import azure_settings, emulator_key, open_azure

SCOPE = Scope("shared")
WRITERS, UNITS = 2, 6


@pytest.fixture(autouse=True)
def _key() -> Iterator[None]:
    with emulator_key():
        yield


async def write_units(url: str, folder: Path, writer: int) -> list[int]:
    """Write documents one by one, count each, and return the commits."""
    store = await open_azure(azure_settings(url, folder), Deaf())
    try:
        commits = []
        for at in range(UNITS):
            receipt = await store.truth.write(SCOPE, [Put(Document(f"{writer}-{at}"))])
            await store.records.count(SCOPE, {"written": 1})
            commits.append(receipt.commit)
        return commits
    finally:
        await store.admin.close()


def test_two_processes_write_to_one_tenant_and_nothing_is_lost(
    cosmosdb: str, tmp_path: Path
) -> None:
    asyncio.run(_make(cosmosdb, tmp_path))
    started = [
        subprocess.Popen(
            [sys.executable, "-m", __name__, cosmosdb, str(tmp_path), str(writer)],
            stdout=subprocess.PIPE,
            env=os.environ,
            text=True,
        )
        for writer in range(WRITERS)
    ]
    commits = [number for one in started for number in json.loads(one.communicate()[0])]
    assert all(one.returncode == 0 for one in started)
    assert len(set(commits)) == WRITERS * UNITS

    async def look() -> None:
        store = await open_azure(azure_settings(cosmosdb, tmp_path), Deaf())
        try:
            found = [one.id for one in await store.truth.documents(SCOPE)]
            assert found == sorted(f"{w}-{at}" for w in range(WRITERS) for at in range(UNITS))
            assert await store.records.counters(SCOPE, ["written"]) == {"written": WRITERS * UNITS}
            assert await store.truth.commit(SCOPE) == max(commits)
            assert not await store.admin.check(SCOPE)
        finally:
            await store.admin.close()

    asyncio.run(look())


async def _make(url: str, folder: Path) -> None:
    store = await open_azure(azure_settings(url, folder), Deaf())
    await store.admin.close()


if __name__ == "__main__":
    with emulator_key():
        _url, _folder, _writer = sys.argv[1:]
        print(json.dumps(asyncio.run(write_units(_url, Path(_folder), int(_writer)))))
