"""However many tenants there are, the store holds open as many files as it may."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from sextant.ports import Store
from sextant.settings import Settings, SqliteSettings
from sextant.stores.sqlite.store import open_store
from sextant.types import Chunk, Document, Put, Scope

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/fd").is_dir(), reason="Only Linux says which files are open."
)
BUDGET = 60
TENANTS = [f"tenant-{at}" for at in range(25)]


def put(name: str) -> Put:
    return Put(Document("doc", name), (Chunk("doc#1", f"The harbor of {name}."),))


def open_files(folder: Path) -> int:
    """Count the files below a folder that this process holds open."""
    found = 0
    for one in Path("/proc/self/fd").iterdir():
        try:
            found += one.readlink().is_relative_to(folder)
        except OSError:  # the one that listed them
            continue
    return found


async def title(store: Store, tenant: str) -> str:
    [found] = await store.truth.documents(Scope(tenant))
    return found.title


def test_idle_tenants_are_closed_within_the_budget_and_open_again(tmp_path: Path) -> None:
    async def task() -> None:
        settings = Settings(sqlite=SqliteSettings(descriptors=BUDGET))
        store = await open_store(str(tmp_path), settings, None)
        for name in TENANTS:
            await store.truth.write(Scope(name), [put(name)])
            assert open_files(tmp_path) <= BUDGET
        for name in (*TENANTS, *reversed(TENANTS)):
            assert await title(store, name) == name
            assert open_files(tmp_path) <= BUDGET
        at_once = await asyncio.gather(*(title(store, name) for name in TENANTS * 3))
        assert at_once == TENANTS * 3
        await store.admin.close()
        assert open_files(tmp_path) == 0

    asyncio.run(task())


def test_a_tenant_that_is_in_use_is_not_closed(tmp_path: Path) -> None:
    async def task() -> None:
        settings = Settings(sqlite=SqliteSettings(descriptors=1))
        store = await open_store(str(tmp_path), settings, None)
        writes = (store.truth.write(Scope(name), [put(name)]) for name in TENANTS[:8] * 4)
        assert {one.commit for one in await asyncio.gather(*writes)} == {1}
        lines = [line async for line in store.admin.dump(Scope(TENANTS[0]))]
        await store.admin.rebuild(Scope(TENANTS[0]))
        assert lines == [line async for line in store.admin.dump(Scope(TENANTS[0]))]
        await store.admin.close()

    asyncio.run(task())


LIMITED = """
import asyncio, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, ({limit}, {limit}))
from sextant.errors import StoreBusy
from sextant.settings import Settings, SqliteSettings
from sextant.stores.sqlite.store import open_store
from sextant.types import Document, Put, Scope

async def main():
    settings = Settings(sqlite=SqliteSettings(descriptors={budget}))
    store = await open_store(sys.argv[1], settings, None)
    for at in range({tenants}):
        await store.truth.write(Scope(f"tenant-{{at}}"), [Put(Document("doc", str(at)))])
    await store.admin.close()

try:
    asyncio.run(main())
except StoreBusy as error:
    print(error.message, error.hint)
"""


@pytest.mark.parametrize(("budget", "is_told"), [(0, False), (100_000, True)])
def test_a_process_of_few_files_serves_many_tenants_or_names_the_limit(
    tmp_path: Path, budget: int, is_told: bool
) -> None:
    code = LIMITED.format(limit=128, budget=budget, tenants=40)
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert ("may hold 128 files open" in done.stdout) is is_told, done.stdout
    assert ("ulimit -n" in done.stdout) is is_told
