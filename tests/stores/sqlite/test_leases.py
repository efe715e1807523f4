"""Leases of the embedded store: what other processes see of them."""

from __future__ import annotations

import asyncio
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from sextant.errors import StoreError
from sextant.ports import Store
from sextant.settings import Settings
from sextant.stores.sqlite.store import open_store
from sextant.types import Lease, Scope
from tests.torture.children import NURSERY, nameless

SCOPE = Scope("acme")
LONG = 600.0


async def _open(folder: Path) -> Store:
    return await open_store(str(folder), Settings(), None)


def _hold(pipe: Connection, folder: Path) -> None:
    """Take two leases, wait for a third, say so, and then wait to be killed."""

    async def run() -> None:
        store = await _open(folder)
        held = [await store.records.take_lease(SCOPE, name, "child", LONG) for name in "xyz"]
        pipe.send([lease is not None for lease in held])
        pipe.recv()

    asyncio.run(run())


def test_the_leases_of_a_process_end_with_it(tmp_path: Path) -> None:
    async def task() -> None:
        store = await _open(tmp_path / "store")
        assert await store.records.take_lease(SCOPE, "z", "parent", LONG)
        ours, theirs = NURSERY.Pipe()
        arguments = (theirs, tmp_path / "store")
        process = NURSERY.Process(target=_hold, args=arguments, daemon=True)
        with nameless():
            process.start()
        assert ours.recv() == [True, True, False]
        assert await store.records.take_lease(SCOPE, "x", "parent", LONG) is None
        wanted = await store.records.take_lease(SCOPE, "z", "parent", LONG)
        assert wanted is not None
        assert wanted.is_wanted
        process.kill()
        process.join()
        process.close()
        taken = [await store.records.take_lease(SCOPE, name, "parent", LONG) for name in "xyz"]
        assert all(taken)
        assert taken[2] == Lease("z", "parent", wanted.token)
        await store.admin.close()

    asyncio.run(task())


def test_closing_a_store_ends_its_leases_and_leaves_no_lock(tmp_path: Path) -> None:
    async def task() -> None:
        one, other = await _open(tmp_path / "store"), await _open(tmp_path / "store")
        assert await one.records.take_lease(SCOPE, "x", "one", LONG)
        assert await other.records.take_lease(SCOPE, "x", "other", LONG) is None
        await one.admin.close()
        assert await other.records.take_lease(SCOPE, "x", "other", LONG)
        await other.admin.close()
        assert not list((tmp_path / "store").glob("lease-*"))

    asyncio.run(task())


def test_leases_that_were_damaged_work_again_once_their_file_is_deleted(tmp_path: Path) -> None:
    async def task() -> None:
        store = await _open(tmp_path / "store")
        (tmp_path / "store" / "leases.db").write_text("no database " * 500)
        (tmp_path / "store" / "lease-0123456789abcdef.lock").touch()
        with pytest.raises(StoreError):
            await store.records.take_lease(SCOPE, "x", "one", LONG)
        (tmp_path / "store" / "leases.db").unlink()
        assert await store.records.take_lease(SCOPE, "x", "one", LONG)
        await store.admin.close()
        assert not list((tmp_path / "store").glob("lease-*"))

    asyncio.run(task())
