"""What only a store on disk can promise: mismatches, rebuilds, backups, folders, formats."""

import asyncio
import itertools
import sqlite3
import tarfile
import threading
import zlib
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sextant.errors import (
    Conflict,
    EmbedderMismatch,
    LanguageMismatch,
    NotAStore,
    NotFound,
    StoreBusy,
    StoreDamaged,
    StoreError,
)
from sextant.llms.tiny import Tiny
from sextant.query import Query
from sextant.settings import KeywordSettings, Settings, SqliteSettings
from sextant.stores.sqlite.store import SqliteStore, open_store, restore_store
from sextant.stores.sqlite.tenant import tenant_folder
from sextant.testing import samples
from sextant.testing.samples import OPERATOR_SCOPE, SCOPE
from sextant.types import Chunk, Document, EmbedderIdentity, Put, Remove, Scope

SMALL = Tiny(samples.WIDTH)
WIDE = Tiny(32)
QUICK = Settings(sqlite=SqliteSettings(wait_seconds=0.05, flush_chunks=2))
Task = Callable[[SqliteStore], Coroutine[Any, Any, Any]]


def use(
    folder: Path,
    task: Task,
    settings: Settings = QUICK,
    identity: EmbedderIdentity | None = SMALL.identity,
    *,
    adopt: bool = False,
) -> Any:
    async def run() -> Any:
        store = await open_store(str(folder), settings, identity, adopt=adopt)
        try:
            return await task(store)
        finally:
            await store.close()

    return asyncio.run(run())


async def fill(store: SqliteStore) -> None:
    await store.write(SCOPE, [samples.runbook()])
    await store.write(SCOPE, [samples.policy(), samples.secret()])
    await store.count(SCOPE, {"asked": 1})


async def lines(store: SqliteStore) -> list[str]:
    assert not await store.check(SCOPE)
    return [line async for line in store.dump(OPERATOR_SCOPE)]


def truth(folder: Path, tenant: str = "acme") -> Path:
    return tenant_folder(folder, tenant) / "truth.db"


def test_another_embedder_is_refused_with_the_way_out(tmp_path: Path) -> None:
    use(tmp_path / "s", fill)
    with pytest.raises(EmbedderMismatch, match="sextant rebuild --embedder"):
        use(tmp_path / "s", lines, identity=WIDE.identity)


def test_a_rebuild_with_another_embedder_makes_its_vectors_searchable(tmp_path: Path) -> None:
    use(tmp_path / "s", fill)
    use(tmp_path / "s", lambda store: store.rebuild(SCOPE, WIDE), identity=None, adopt=True)

    async def search(store: SqliteStore) -> None:
        text = "Escalation policy\nTeam Y owns the escalation of Service A."
        vector = (await WIDE.embed([text], "query"))[0]
        best = (await store.search(SCOPE, Query(vector=vector, k=1))).matches[0]
        assert best.passage.chunk.id == "policy#c1"
        assert best.vector == pytest.approx(1.0)
        assert not await store.check(SCOPE)

    use(tmp_path / "s", search, identity=WIDE.identity)


class Stopping(Tiny):
    """An embedder that somebody stops after a few passages."""

    def __init__(self, width: int, after: int) -> None:
        super().__init__(width)
        self.left, self.embedded = after, 0

    async def embed(self, texts: Any, purpose: Any) -> Any:
        if self.left <= 0:
            raise KeyboardInterrupt
        self.left -= 1
        self.embedded += len(texts)
        return await super().embed(texts, purpose)


def test_a_stopped_rebuild_leaves_the_old_vectors_and_goes_on_where_it_was(tmp_path: Path) -> None:
    async def many(store: SqliteStore) -> None:
        puts = [
            replace(samples.policy(), document=replace(samples.policy().document, id=f"p{at}"))
            for at in range(100)
        ]
        for at, put in enumerate(puts):
            chunk = replace(put.chunks[0], id=f"p{at}#c1")
            puts[at] = replace(put, chunks=(chunk,), relations=())
        await store.write(SCOPE, puts)

    use(tmp_path / "s", many)
    with pytest.raises(KeyboardInterrupt):
        use(tmp_path / "s", lambda store: store.rebuild(SCOPE, Stopping(32, 1)), adopt=True)
    use(tmp_path / "s", lines)
    rest = Stopping(32, 100)
    use(tmp_path / "s", lambda store: store.rebuild(SCOPE, rest), adopt=True)
    assert 0 < rest.embedded < 100
    use(tmp_path / "s", lines, identity=WIDE.identity)


def test_a_cancelled_rebuild_lists_nothing_behind_the_back_of_others(tmp_path: Path) -> None:
    use(tmp_path / "s", fill)

    async def run() -> None:
        store = await open_store(str(tmp_path / "s"), QUICK, SMALL.identity)
        listening, go_on = threading.Event(), threading.Event()

        def listener(what: str, done: int, total: int) -> None:  # noqa: ARG001
            listening.set()
            go_on.wait()

        rebuilding = asyncio.create_task(store.rebuild(SCOPE, None, listener))
        await asyncio.to_thread(listening.wait)
        rebuilding.cancel()
        other = await open_store(str(tmp_path / "s"), QUICK, SMALL.identity)
        await other.write(SCOPE, [replace(samples.runbook(), key="later")])
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await rebuilding
        await store.close()
        await other.close()

    asyncio.run(run())
    use(tmp_path / "s", lines)


def test_a_rebuild_with_another_embedder_ends_beside_a_busy_writer(tmp_path: Path) -> None:
    use(tmp_path / "s", fill)

    async def run() -> None:
        patient = Settings(sqlite=SqliteSettings(wait_seconds=60.0, flush_chunks=2))
        store = await open_store(str(tmp_path / "s"), patient, SMALL.identity)
        operator = await open_store(str(tmp_path / "s"), patient, None, adopt=True)

        async def write() -> int:
            for at in itertools.count():
                try:
                    await store.write(SCOPE, [replace(samples.runbook(), key=f"{at}")])
                except EmbedderMismatch:
                    return at
            raise AssertionError

        writing = asyncio.create_task(write())
        await operator.rebuild(SCOPE, WIDE)
        assert await writing >= 0
        await store.close()
        await operator.close()

    asyncio.run(run())
    use(tmp_path / "s", lines, identity=WIDE.identity)


def test_a_store_that_is_open_elsewhere_notices_that_its_embedder_was_replaced(
    tmp_path: Path,
) -> None:
    use(tmp_path / "s", fill)

    async def run() -> None:
        old = await open_store(str(tmp_path / "s"), QUICK, SMALL.identity)
        assert (await old.search(SCOPE, Query("pods"))).matches
        operator = await open_store(str(tmp_path / "s"), QUICK, None, adopt=True)
        await operator.rebuild(SCOPE, WIDE)
        await operator.close()
        with pytest.raises(EmbedderMismatch):
            await old.search(SCOPE, Query("pods"))
        with pytest.raises(EmbedderMismatch):
            await old.write(SCOPE, [replace(samples.runbook(), key="new")])
        await old.close()

    asyncio.run(run())


def test_another_language_is_refused_until_the_store_is_rebuilt(tmp_path: Path) -> None:
    use(tmp_path / "s", fill)
    german = replace(QUICK, keyword=KeywordSettings(language="german"))
    with pytest.raises(LanguageMismatch, match="sextant rebuild"):
        use(tmp_path / "s", lines, german)
    use(tmp_path / "s", lambda store: store.rebuild(SCOPE), german, adopt=True)
    use(tmp_path / "s", lines, german)


def test_a_backup_of_a_store_in_use_restores_to_an_equal_store(tmp_path: Path) -> None:
    async def back_up(store: SqliteStore) -> list[str]:
        await fill(store)
        await store.write(Scope("other"), [samples.runbook()])
        before = await lines(store)
        writing = asyncio.gather(
            *(
                store.write(Scope("busy"), [replace(samples.runbook(), key=str(at))])
                for at in range(20)
            )
        )
        assert await store.backup(tmp_path / "b.tar") == (tmp_path / "b.tar").stat().st_size
        await writing
        return before

    before = use(tmp_path / "s", back_up)
    tenants = restore_store(tmp_path / "b.tar", tmp_path / "restored")
    assert {"acme", "other"} <= set(tenants)
    assert use(tmp_path / "restored", lines) == before
    use(
        tmp_path / "restored",
        lambda store: store.write(SCOPE, [replace(samples.policy(), key="x")]),
    )
    use(tmp_path / "restored", lambda store: store.check(SCOPE))


def test_a_backup_overwrites_nothing_and_a_restore_only_an_empty_folder(tmp_path: Path) -> None:
    async def twice(store: SqliteStore) -> None:
        await fill(store)
        await store.backup(tmp_path / "b.tar")
        with pytest.raises(Conflict, match="exists already"):
            await store.backup(tmp_path / "b.tar")

    use(tmp_path / "s", twice)
    with pytest.raises(Conflict, match="not empty"):
        restore_store(tmp_path / "b.tar", tmp_path / "s")
    (tmp_path / "empty").mkdir()
    assert restore_store(tmp_path / "b.tar", tmp_path / "empty") == ["acme"]


def test_a_damaged_or_foreign_backup_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    async def back_up(store: SqliteStore) -> None:
        await fill(store)
        await store.backup(tmp_path / "b.tar")

    use(tmp_path / "s", back_up)
    whole = (tmp_path / "b.tar").read_bytes()
    middle = len(whole) // 2
    bad = {
        "flipped": whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :],
        "cut": whole[: middle // 512 * 512],
        "text": b"not a backup",
        "empty": b"",
    }
    with tarfile.open(tmp_path / "evil.tar", "w") as archive:
        archive.add(tmp_path / "b.tar", "../evil")
    bad["evil"] = (tmp_path / "evil.tar").read_bytes()
    for name, content in bad.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises((StoreDamaged, NotAStore)):
            restore_store(tmp_path / name, tmp_path / "restored")
        assert not (tmp_path / "restored").exists()
    with pytest.raises(NotFound):
        restore_store(tmp_path / "nowhere", tmp_path / "restored")


def test_a_folder_or_database_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "thesis.txt").write_text("mine")
    with pytest.raises(NotAStore):
        use(tmp_path / "theirs", lines)
    assert [path.name for path in (tmp_path / "theirs").iterdir()] == ["thesis.txt"]
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError):
        use(tmp_path / "file", lines)

    use(tmp_path / "s", fill)
    path = truth(tmp_path / "s")
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    with pytest.raises(NotAStore):
        use(tmp_path / "s", lines)


def test_a_database_that_vanished_is_missed_not_replaced_by_an_empty_one(tmp_path: Path) -> None:
    use(tmp_path / "s", fill)
    use(tmp_path / "s", lambda store: store.rebuild(SCOPE))
    for path in truth(tmp_path / "s").parent.glob("truth.db*"):
        path.unlink()
    with pytest.raises(StoreDamaged, match="backup"):
        use(tmp_path / "s", lines)


def test_segments_of_another_version_are_derived_anew_without_a_word(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    use(tmp_path / "s", fill)
    use(tmp_path / "s", lambda store: store.rebuild(SCOPE))
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


def test_adopting_needs_a_store(tmp_path: Path) -> None:
    with pytest.raises(NotAStore, match="no store"):
        use(tmp_path / "s", lines, adopt=True)
    assert not (tmp_path / "s").exists()


def test_a_writer_that_waits_too_long_is_told_so(tmp_path: Path) -> None:
    use(tmp_path / "s", fill)
    other = sqlite3.connect(truth(tmp_path / "s"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    async def write(store: SqliteStore) -> None:
        assert (await store.search(SCOPE, Query("pods"))).matches
        with pytest.raises(StoreBusy, match="wait_seconds"):
            await store.write(SCOPE, [replace(samples.runbook(), key="late")])

    use(tmp_path / "s", write)
    other.execute("ROLLBACK")
    other.close()


def test_a_reader_sees_the_commits_of_other_stores_without_reopening(tmp_path: Path) -> None:
    async def run() -> None:
        one = await open_store(str(tmp_path / "s"), QUICK, SMALL.identity)
        two = await open_store(str(tmp_path / "s"), QUICK, SMALL.identity)
        for at in range(12):
            put = replace(samples.runbook(), key=f"{at}")
            writer, reader = (one, two) if at % 2 else (two, one)
            commit = (await writer.write(SCOPE, [put])).commit
            found = await reader.search(SCOPE, Query("pods", at_least=commit))
            assert found.commit == commit
            assert found.matches[0].passage.version == f"{at}"
        await one.close()
        await two.close()

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
        await store.write(SCOPE, [versions[0]])

        async def flip() -> None:
            for at in range(60):
                await other.write(SCOPE, [replace(versions[at % 2], key=str(at))])

        async def look() -> None:
            for _ in range(120):
                found = await store.search(SCOPE, Query("version", samples.direction(1.0)))
                (match,) = found.matches
                expected = 1.0 if match.passage.chunk.text == "version 0" else 0.0
                assert match.vector == pytest.approx(expected)

        await asyncio.gather(flip(), look(), look())
        await store.close()
        await other.close()

    asyncio.run(run())


def test_vectors_are_optional_and_a_store_without_embedder_has_none(tmp_path: Path) -> None:
    async def run(store: SqliteStore) -> None:
        await store.write(SCOPE, [replace(samples.runbook(), vectors=None, pieces=None)])
        assert (await store.search(SCOPE, Query("pods"))).matches
        with pytest.raises(Exception, match="no embedder"):
            await store.search(SCOPE, Query(vector=np.ones(4, np.float32)))

    use(tmp_path / "s", run, identity=None)


def test_many_deletes_shrink_the_arrays(tmp_path: Path) -> None:
    async def run(store: SqliteStore) -> None:
        puts = [Put(Document(f"d{at}"), (Chunk(f"d{at}#1", f"word{at}"),)) for at in range(50)]
        await store.write(SCOPE, puts)
        await store.write(SCOPE, [Remove(put.document.id) for put in puts[:40]])

    use(tmp_path / "s", run)
    use(tmp_path / "s", lines)
    with sqlite3.connect(truth(tmp_path / "s")) as connection:
        chunks = connection.execute("SELECT sum(chunks) FROM segments").fetchone()[0]
    connection.close()
    assert chunks == 10
