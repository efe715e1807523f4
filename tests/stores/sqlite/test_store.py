"""What only a store on disk can promise: snapshots, waiting, arrays that shrink."""

import asyncio
import sqlite3
import zlib
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sextant.errors import (
    StoreBusy,
)
from sextant.ports import Store
from sextant.query import Query
from sextant.settings import Settings, SqliteSettings
from sextant.stores.sqlite.store import open_store
from sextant.testing.store_suite import samples
from sextant.testing.store_suite.samples import SCOPE
from sextant.types import Chunk, Document, Put, Remove, Scope
from tests.stores.sqlite.house import QUICK, SMALL, fill, lines, truth, use


def test_segments_of_another_version_are_derived_anew_without_a_word(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    use(tmp_path / "s", fill)
    use(tmp_path / "s", lambda store: store.admin.rebuild(SCOPE))
    before = use(tmp_path / "s", lines)
    with sqlite3.connect(truth(tmp_path / "s")) as connection:
        for path in (truth(tmp_path / "s").parent / "segments").iterdir():
            old = b"SXTSEG01" + path.read_bytes()[8:]
            path.write_bytes(old)
            statement = "UPDATE segments SET crc = ? WHERE file = ?"
            connection.execute(statement, (zlib.crc32(old), path.name))
    connection.close()
    assert use(tmp_path / "s", lines) == before
    kept = [path.read_bytes() for path in (truth(tmp_path / "s").parent / "segments").iterdir()]
    assert kept
    assert not any(content.startswith(b"SXTSEG01") for content in kept)
    assert not caplog.records


def test_a_writer_that_waits_too_long_is_told_so(tmp_path: Path) -> None:
    use(tmp_path / "s", fill)
    other = sqlite3.connect(truth(tmp_path / "s"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    async def write(store: Store) -> None:
        assert (await store.index.search(SCOPE, Query("pods"))).matches
        with pytest.raises(StoreBusy, match="wait_seconds"):
            await store.truth.write(SCOPE, [replace(samples.runbook(), key="late")])

    use(tmp_path / "s", write)
    other.execute("ROLLBACK")
    other.close()


def test_writers_that_wait_together_give_up_together_and_hold_up_nobody_else(
    tmp_path: Path,
) -> None:
    use(tmp_path / "s", fill)
    use(tmp_path / "s", lambda store: store.truth.write(Scope("other"), [samples.policy()]))
    settings = Settings(sqlite=SqliteSettings(wait_seconds=2.0))
    lock = truth(tmp_path / "s").with_name("write.lock")

    async def run(store: Store) -> None:
        with closing(sqlite3.connect(lock, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            puts = (replace(samples.runbook(), key=f"{at}") for at in range(10))
            writing = [asyncio.create_task(store.truth.write(SCOPE, [put])) for put in puts]
            free = asyncio.create_task(store.truth.write(Scope("other"), [samples.runbook()]))
            done, _ = await asyncio.wait([*writing, free], return_when=asyncio.FIRST_COMPLETED)
            assert done == {free}
            # Each by itself would wait for 20 seconds in all.
            done, late = await asyncio.wait(writing, timeout=10.0)
            assert not late
            assert all(isinstance(one.exception(), StoreBusy) for one in done)
        assert (
            await store.truth.write(SCOPE, [replace(samples.runbook(), key="then")])
        ).written == 1

    use(tmp_path / "s", run, settings)


def test_a_log_that_was_copied_is_not_copied_again_by_every_write(tmp_path: Path) -> None:
    def small(at: int) -> Put:
        return Put(Document(f"small{at}"), (Chunk(f"small{at}#1", "word"),))

    async def run(store: Store) -> None:
        long = tuple(Chunk(f"long#{at}", f"{at} " * 60_000) for at in range(40))
        await store.truth.write(SCOPE, [Put(Document("long"), long)])
        await store.truth.write(SCOPE, [small(0)])
        before = truth(tmp_path / "s").stat().st_mtime_ns
        for at in range(1, 20):
            await store.truth.write(SCOPE, [small(at)])
        assert truth(tmp_path / "s").stat().st_mtime_ns == before

    use(tmp_path / "s", run, Settings(sqlite=SqliteSettings(wait_seconds=60.0)))


def test_a_reader_sees_the_commits_of_other_stores_without_reopening(tmp_path: Path) -> None:
    async def run() -> None:
        one = await open_store(str(tmp_path / "s"), QUICK, SMALL.identity)
        two = await open_store(str(tmp_path / "s"), QUICK, SMALL.identity)
        for at in range(12):
            put = replace(samples.runbook(), key=f"{at}")
            writer, reader = (one, two) if at % 2 else (two, one)
            commit = (await writer.truth.write(SCOPE, [put])).commit
            found = await reader.index.search(SCOPE, Query("pods", at_least=commit))
            assert found.commit == commit
            assert found.matches[0].passage.version == f"{at}"
        await one.admin.close()
        await two.admin.close()

    asyncio.run(run())


def test_a_chunk_is_never_shown_with_the_vector_of_another_version(tmp_path: Path) -> None:
    """While a document flips between two versions, text and nearness always belong together."""

    async def run() -> None:
        store = await open_store(str(tmp_path / "s"), QUICK, SMALL.identity)
        other = await open_store(str(tmp_path / "s"), QUICK, SMALL.identity)
        versions = []
        for at in range(2):
            chunk = replace(samples.policy().chunks[0], text=f"version {at}")
            vector = samples.direction(*([0.0] * at), 1.0)[None]
            versions.append(replace(samples.policy(), chunks=(chunk,), vectors=vector))
        await store.truth.write(SCOPE, [versions[0]])

        async def flip() -> None:
            for at in range(60):
                await other.truth.write(SCOPE, [replace(versions[at % 2], key=str(at))])

        async def look() -> None:
            for _ in range(120):
                found = await store.index.search(SCOPE, Query("version", samples.direction(1.0)))
                (match,) = found.matches
                expected = 1.0 if match.passage.chunk.text == "version 0" else 0.0
                assert match.vector == pytest.approx(expected)

        await asyncio.gather(flip(), look(), look())
        await store.admin.close()
        await other.admin.close()

    asyncio.run(run())


def test_vectors_are_optional_and_a_store_without_embedder_has_none(tmp_path: Path) -> None:
    async def run(store: Store) -> None:
        await store.truth.write(SCOPE, [replace(samples.runbook(), vectors=None, pieces=None)])
        assert (await store.index.search(SCOPE, Query("pods"))).matches
        with pytest.raises(Exception, match="no embedder"):
            await store.index.search(SCOPE, Query(vector=np.ones(4, np.float32)))

    use(tmp_path / "s", run, identity=None)


def test_many_deletes_shrink_the_arrays(tmp_path: Path) -> None:
    async def run(store: Store) -> None:
        puts = [Put(Document(f"d{at}"), (Chunk(f"d{at}#1", f"word{at}"),)) for at in range(50)]
        await store.truth.write(SCOPE, puts)
        await store.truth.write(SCOPE, [Remove(put.document.id) for put in puts[:40]])

    use(tmp_path / "s", run)
    use(tmp_path / "s", lines)
    with sqlite3.connect(truth(tmp_path / "s")) as connection:
        chunks = connection.execute("SELECT sum(chunks) FROM segments").fetchone()[0]
    connection.close()
    assert chunks == 10
