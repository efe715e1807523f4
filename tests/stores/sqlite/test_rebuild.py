"""Making the arrays anew, also with other vectors or words, and whoever writes meanwhile."""

import asyncio
import functools
import itertools
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sextant.errors import (
    EmbedderMismatch,
    LanguageMismatch,
    StoreBusy,
    StoreClosed,
)
from sextant.llms.tiny import Tiny
from sextant.ports import Store
from sextant.query import Query
from sextant.settings import KeywordSettings, Settings, SqliteSettings
from sextant.stores.sqlite.store import open_store
from sextant.stores.sqlite.truth.locks import turn
from sextant.testing.store_suite import samples
from sextant.testing.store_suite.samples import SCOPE
from sextant.types import Chunk, Document, EmbedderIdentity, Put
from tests.stores.sqlite.house import QUICK, SMALL, WIDE, fill, lines, truth, use


def test_another_embedder_is_refused_with_the_way_out(tmp_path: Path) -> None:
    use(tmp_path / "s", fill)
    with pytest.raises(EmbedderMismatch, match="Run `sextant rebuild` to make them anew\\."):
        use(tmp_path / "s", lines, identity=WIDE.identity)
    with pytest.raises(EmbedderMismatch, match='or set embedder = "tiny:"'):
        use(tmp_path / "s", lines, identity=EmbedderIdentity("other:one", 32))


def test_a_rebuild_with_another_embedder_makes_its_vectors_searchable(tmp_path: Path) -> None:
    use(tmp_path / "s", fill)
    use(tmp_path / "s", lambda store: store.admin.rebuild(SCOPE, WIDE), identity=None, adopt=True)

    async def search(store: Store) -> None:
        text = "Escalation policy\nTeam Y owns the escalation of Service A."
        vector = (await WIDE.embed([text], "query"))[0]
        best = (await store.index.search(SCOPE, Query(vector=vector, k=1))).matches[0]
        assert best.passage.chunk.id == "policy#c1"
        assert best.vector == pytest.approx(1.0)
        assert not await store.admin.check(SCOPE)

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


class Slow(Tiny):
    """An embedder that begins, and goes on when it is told to."""

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.begun, self.go_on = asyncio.Event(), asyncio.Event()

    async def embed(self, texts: Any, purpose: Any) -> Any:
        self.begun.set()
        await self.go_on.wait()
        return await super().embed(texts, purpose)


def test_a_stopped_rebuild_leaves_the_old_vectors_and_goes_on_where_it_was(tmp_path: Path) -> None:
    async def many(store: Store) -> None:
        puts = [
            replace(samples.policy(), document=replace(samples.policy().document, id=f"p{at}"))
            for at in range(100)
        ]
        for at, put in enumerate(puts):
            chunk = replace(put.chunks[0], id=f"p{at}#c1")
            puts[at] = replace(put, chunks=(chunk,), relations=())
        await store.truth.write(SCOPE, puts)

    use(tmp_path / "s", many)
    with pytest.raises(KeyboardInterrupt):
        use(tmp_path / "s", lambda store: store.admin.rebuild(SCOPE, Stopping(32, 1)), adopt=True)
    use(tmp_path / "s", lines)
    rest = Stopping(32, 100)
    use(tmp_path / "s", lambda store: store.admin.rebuild(SCOPE, rest), adopt=True)
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

        rebuilding = asyncio.create_task(store.admin.rebuild(SCOPE, None, listener))
        await asyncio.to_thread(listening.wait)
        rebuilding.cancel()
        other = await open_store(str(tmp_path / "s"), QUICK, SMALL.identity)
        await other.truth.write(SCOPE, [replace(samples.runbook(), key="later")])
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await rebuilding
        await store.admin.close()
        await other.admin.close()

    asyncio.run(run())
    use(tmp_path / "s", lines)


def added(at: int) -> Put:
    return Put(Document(f"n{at}"), (Chunk(f"n{at}#1", f"word{at}"),))


async def found_by_vector(store: Store, count: int) -> set[str]:
    some = (await WIDE.embed(["word0"], "query"))[0]
    found = await store.index.search(SCOPE, Query(vector=some, k=count))
    return {match.passage.document.id for match in found.matches}


def test_a_rebuild_with_another_embedder_ends_beside_a_busy_writer(tmp_path: Path) -> None:
    use(tmp_path / "s", fill)

    async def run() -> int:
        patient = Settings(sqlite=SqliteSettings(wait_seconds=60.0, flush_chunks=2))
        store = await open_store(str(tmp_path / "s"), patient, SMALL.identity)
        operator = await open_store(str(tmp_path / "s"), patient, None, adopt=True)

        async def write() -> int:
            for at in itertools.count():
                try:
                    await store.truth.write(SCOPE, [added(at)])
                except EmbedderMismatch:
                    return at
            raise AssertionError

        writing = asyncio.create_task(write())
        await operator.admin.rebuild(SCOPE, WIDE)
        count = await writing
        await store.admin.close()
        await operator.admin.close()
        return count

    count = asyncio.run(run())
    use(tmp_path / "s", lines, identity=WIDE.identity)
    task = functools.partial(found_by_vector, count=count + 10)
    found = use(tmp_path / "s", task, identity=WIDE.identity)
    assert {f"n{at}" for at in range(count)} <= found


def test_what_is_written_while_a_rebuild_waits_for_its_turn_gets_its_vector(tmp_path: Path) -> None:
    use(tmp_path / "s", fill)
    patient = Settings(sqlite=SqliteSettings(wait_seconds=60.0))

    async def run() -> None:
        store = await open_store(str(tmp_path / "s"), patient, SMALL.identity)
        operator = await open_store(str(tmp_path / "s"), patient, None, adopt=True)
        embedded = asyncio.Event()

        def listener(what: str, done: int, total: int) -> None:  # noqa: ARG001
            if done == total:
                embedded.set()

        with turn(truth(tmp_path / "s").parent, 60.0) as mine:
            assert mine
            rebuilding = asyncio.create_task(operator.admin.rebuild(SCOPE, WIDE, listener))
            await embedded.wait()
            await store.truth.write(SCOPE, [added(0)])
        await rebuilding
        await store.admin.close()
        await operator.admin.close()

    asyncio.run(run())
    use(tmp_path / "s", lines, identity=WIDE.identity)
    task = functools.partial(found_by_vector, count=10)
    assert "n0" in use(tmp_path / "s", task, identity=WIDE.identity)


def test_a_second_rebuild_with_new_vectors_does_not_mix_its_own_in(tmp_path: Path) -> None:
    use(tmp_path / "s", fill)

    async def run() -> None:
        one = await open_store(str(tmp_path / "s"), QUICK, None, adopt=True)
        two = await open_store(str(tmp_path / "s"), QUICK, None, adopt=True)
        slow = Slow(32)
        rebuilding = asyncio.create_task(one.admin.rebuild(SCOPE, slow))
        await slow.begun.wait()
        with pytest.raises(StoreBusy, match="rebuilding"):
            await two.admin.rebuild(SCOPE, Tiny(24))
        slow.go_on.set()
        await rebuilding
        await one.admin.close()
        await two.admin.close()

    asyncio.run(run())
    use(tmp_path / "s", lines, identity=WIDE.identity)


@pytest.mark.parametrize("lock", ["turn.lock", "write.lock", "rebuild.lock"])
def test_a_rebuild_that_is_cancelled_while_it_waits_holds_nothing(
    tmp_path: Path, lock: str
) -> None:
    use(tmp_path / "s", fill)
    patient = Settings(sqlite=SqliteSettings(wait_seconds=60.0))

    async def run(store: Store) -> None:
        other = sqlite3.connect(truth(tmp_path / "s").with_name(lock), isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        rebuilding = asyncio.create_task(store.admin.rebuild(SCOPE, WIDE))
        done, _ = await asyncio.wait([rebuilding], timeout=0.2)
        assert not done
        rebuilding.cancel()
        await asyncio.wait([rebuilding], timeout=0.01)
        rebuilding.cancel()  # some deliver it again and again
        other.execute("ROLLBACK")
        other.close()
        with pytest.raises(asyncio.CancelledError):
            await rebuilding
        await store.admin.rebuild(SCOPE, WIDE)

    use(tmp_path / "s", run, patient, None, adopt=True)
    use(tmp_path / "s", lines, identity=WIDE.identity)


def test_a_store_that_is_open_elsewhere_notices_that_its_embedder_was_replaced(
    tmp_path: Path,
) -> None:
    use(tmp_path / "s", fill)

    async def run() -> None:
        old = await open_store(str(tmp_path / "s"), QUICK, SMALL.identity)
        assert (await old.index.search(SCOPE, Query("pods"))).matches
        operator = await open_store(str(tmp_path / "s"), QUICK, None, adopt=True)
        await operator.admin.rebuild(SCOPE, WIDE)
        await operator.admin.close()
        with pytest.raises(EmbedderMismatch):
            await old.index.search(SCOPE, Query("pods"))
        with pytest.raises(EmbedderMismatch):
            await old.truth.write(SCOPE, [replace(samples.runbook(), key="new")])
        await old.admin.close()

    asyncio.run(run())


def test_another_language_is_refused_until_the_store_is_rebuilt(tmp_path: Path) -> None:
    use(tmp_path / "s", fill)
    german = replace(QUICK, keyword=KeywordSettings(language="german"))
    with pytest.raises(LanguageMismatch, match="sextant rebuild"):
        use(tmp_path / "s", lines, german)
    use(tmp_path / "s", lambda store: store.admin.rebuild(SCOPE), german, adopt=True)
    use(tmp_path / "s", lines, german)


def test_who_made_the_first_vectors_of_a_store_is_remembered(tmp_path: Path) -> None:
    use(tmp_path / "s", lambda store: store.records.count(SCOPE, {"asked": 1}), identity=None)
    use(tmp_path / "s", fill)
    twin = EmbedderIdentity("a twin of the same width", samples.WIDTH)
    for other in (twin, WIDE.identity):
        with pytest.raises(EmbedderMismatch):
            use(tmp_path / "s", lines, identity=other)
    use(tmp_path / "s", lines)


def test_closing_stops_a_rebuild_which_then_holds_nothing(tmp_path: Path) -> None:
    use(tmp_path / "s", fill)

    async def run() -> None:
        store = await open_store(str(tmp_path / "s"), QUICK, None, adopt=True)
        slow = Slow(32)
        rebuilding = asyncio.create_task(store.admin.rebuild(SCOPE, slow))
        await slow.begun.wait()
        await store.admin.close()
        with pytest.raises(StoreClosed):
            await rebuilding
        again = await open_store(str(tmp_path / "s"), QUICK, None, adopt=True)
        await again.admin.rebuild(SCOPE, WIDE)
        await again.admin.close()

    asyncio.run(run())
    use(tmp_path / "s", lines, identity=WIDE.identity)


def test_a_reader_without_embedder_sees_the_first_vectors_of_others(tmp_path: Path) -> None:
    plain = replace(samples.policy(), vectors=None, pieces=None)

    async def run() -> None:
        reader = await open_store(str(tmp_path / "s"), QUICK, None)
        await reader.truth.write(SCOPE, [plain])
        await reader.admin.rebuild(SCOPE)
        writer = await open_store(str(tmp_path / "s"), QUICK, SMALL.identity)
        await writer.truth.write(SCOPE, [samples.runbook()])
        assert (await reader.truth.counts(SCOPE)).documents == 2
        for store in (reader, writer):
            found = await store.index.search(SCOPE, Query(vector=samples.direction(1.0)))
            assert {one.passage.document.id for one in found.matches} == {"runbook"}
            assert not await store.admin.check(SCOPE)
        await writer.admin.close()
        await reader.admin.close()

    asyncio.run(run())
    use(tmp_path / "s", lines)
