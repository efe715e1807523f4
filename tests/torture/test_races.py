from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Barrier

from sextant.errors import SextantError
from sextant.ports import Store
from sextant.stores.arrays.segments.merge import merge
from sextant.stores.sqlite.parts.truth import SqliteTruth
from sextant.stores.sqlite.tenant import Tenant
from sextant.stores.sqlite.upkeep.maintain import list_segments, write_file
from sextant.types import Put
from tests.torture.children import NURSERY, nameless
from tests.torture.model import ALL, Count, make_put, open_here, perform, wrong_searches
from tests.torture.verify import strays, sweeping


def a_put(name: str, chunks: int) -> Put:
    return make_put(random.Random(name), name, 1, chunks)


async def write_and_look(store: Store, put: Put) -> None:
    await store.truth.write(ALL, [put])
    assert await wrong_searches(store, put) == []


def test_segment_listed_while_readers_moved_on_leaves_no_hole(tmp_path: Path) -> None:
    async def run() -> None:
        store = await open_here(tmp_path, flush_chunks=1_000)
        first, second, third = a_put("a-1", 90), a_put("a-2", 90), a_put("a-3", 1)
        await write_and_look(store, first)
        assert isinstance(store.truth, SqliteTruth)
        tenant: Tenant = store.truth._house.hold(ALL.tenant)[0]
        snapshot = tenant.read(lambda _, snapshot: snapshot)
        (view,) = snapshot.views
        written = write_file(tenant, merge([(view.segment, view.living)]), view.span)
        await write_and_look(store, second)
        await write_and_look(store, third)
        with tenant.write() as connection:
            list_segments(connection, [written], view.span, snapshot.commit)
        assert [await wrong_searches(store, put) for put in (first, second, third)] == [[], [], []]
        assert await store.admin.check(ALL) == []
        await store.admin.close()

    asyncio.run(run())


async def use(folder: Path) -> None:
    store = await open_here(folder)
    await perform(store, Count({"used": 1}), 0)
    await store.admin.close()


def test_stores_opened_at_once_in_one_process_share_a_new_folder(tmp_path: Path) -> None:
    async def run() -> None:
        for at in range(20):
            await asyncio.gather(*(use(tmp_path / f"store-{at}") for _ in range(4)))

    asyncio.run(run())


def use_together(together: Barrier, folders: Sequence[Path], pipe: Connection) -> None:
    for folder in folders:
        together.wait()
        try:
            asyncio.run(use(folder))
        except SextantError as error:
            pipe.send(repr(error))
    pipe.close()


def test_processes_that_start_at_once_share_a_new_folder(tmp_path: Path) -> None:
    folders = [tmp_path / f"store-{at}" for at in range(40)]
    together, (ours, theirs) = NURSERY.Barrier(4), NURSERY.Pipe(duplex=False)
    arguments = (together, folders, theirs)
    processes = [NURSERY.Process(target=use_together, args=arguments) for _ in range(4)]
    with nameless():
        for process in processes:
            process.start()
    theirs.close()
    problems = []
    with suppress(EOFError):
        while True:
            problems.append(ours.recv())
    for process in processes:
        process.join()
    assert problems == []


def test_a_mark_that_a_killed_process_left_unfinished_is_finished(tmp_path: Path) -> None:
    async def use() -> None:
        store = await open_here(tmp_path)
        await store.truth.write(ALL, [sweeping(1)])
        await store.admin.close()

    for beginning in ("", '{"kind": "sext'):
        (tmp_path / "sextant-store.json").write_text(beginning)
        asyncio.run(use())
        assert strays(tmp_path) == []
