"""When segments are merged: by size at once, and larger ones once writers are quiet or gone."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from sextant.query import Query
from sextant.settings import Settings, SqliteSettings
from sextant.stores.sqlite.store import open_store
from sextant.stores.sqlite.tenant import Rules, Tenant, tenant_folder
from sextant.stores.sqlite.upkeep import maintain
from sextant.stores.sqlite.upkeep.maintain import Caretaker
from sextant.testing.store_suite.samples import SCOPE
from sextant.types import Chunk, Document, Put

SETTINGS = Settings(sqlite=SqliteSettings(flush_chunks=2))


def add(folder: Path, name: str, chunks: int) -> None:
    async def run() -> None:
        store = await open_store(str(folder), SETTINGS, None)
        each = tuple(Chunk(f"{name}#{at:03d}", f"pods word{at}") for at in range(chunks))
        await store.truth.write(SCOPE, [Put(Document(name), each)])
        await store.admin.close()

    asyncio.run(run())


def found(folder: Path) -> list[str]:
    async def run() -> list[str]:
        store = await open_store(str(folder), SETTINGS, None)
        matches = (await store.index.search(SCOPE, Query("pods", k=100))).matches
        await store.admin.close()
        return [match.passage.chunk.id for match in matches]

    return asyncio.run(run())


def home(folder: Path) -> Path:
    return tenant_folder(folder, SCOPE.tenant)


def sizes(folder: Path) -> list[int]:
    with sqlite3.connect(home(folder) / "truth.db") as connection:
        listed = connection.execute("SELECT chunks FROM segments ORDER BY low").fetchall()
    connection.close()
    return [chunks for (chunks,) in listed]


def test_a_writer_that_goes_leaves_few_segments_but_rewrites_no_large_one_for_a_little(
    tmp_path: Path,
) -> None:
    add(tmp_path, "a", 80)
    add(tmp_path, "b", 10)
    assert sizes(tmp_path) == [90]
    add(tmp_path, "c", 3)
    assert sizes(tmp_path) == [90, 3]
    assert len(found(tmp_path)) == 93


def test_who_only_reads_merges_nothing(tmp_path: Path) -> None:
    add(tmp_path, "a", 80)
    add(tmp_path, "b", 3)
    before = sorted(path.name for path in (home(tmp_path) / "segments").iterdir())
    assert len(found(tmp_path)) == 83
    assert sorted(path.name for path in (home(tmp_path) / "segments").iterdir()) == before


def test_larger_segments_are_merged_once_writers_are_quiet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(tmp_path, "a", 80)
    add(tmp_path, "b", 2)
    assert sizes(tmp_path) == [80, 2]
    monkeypatch.setattr(maintain, "_QUIET_SECONDS", 0.0)
    monkeypatch.setattr(maintain, "_QUIET_RATIO", 40.0)
    tenant = Tenant(home(tmp_path), SCOPE.tenant, Rules(SETTINGS))
    caretaker = Caretaker(tenant)
    asked = caretaker.wake()
    caretaker.wait(asked, 30.0)
    caretaker.wait(asked + 1, 30.0)
    merged = sizes(tmp_path)
    caretaker.close()
    tenant.close()
    assert merged == [82]
    assert len(found(tmp_path)) == 82
