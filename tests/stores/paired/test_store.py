"""A truth in one engine and an index in another: nothing acknowledged is lost between the two."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sextant.core import Sextant
from sextant.errors import CommitUnknown, ConfigError, IndexBehind, StoreClosed
from sextant.llms.tiny import Tiny
from sextant.ports import Store, Truth
from sextant.query import Query
from sextant.settings import Settings, SqliteSettings
from sextant.stores import removals
from sextant.stores.memory.following import FollowingMemoryIndex
from sextant.stores.memory.parts.truth import MemoryTruth
from sextant.stores.memory.store import new_store
from sextant.stores.memory.tenants import Tenants
from sextant.stores.paired import following
from sextant.stores.paired.store import pair
from sextant.stores.sqlite.store import open_store, restore_store
from sextant.testing.store_suite import samples
from sextant.testing.store_suite.checks import ids, scores
from sextant.testing.store_suite.samples import AUDITOR, OPERATOR_SCOPE, SCOPE
from sextant.testing.store_suite.suite import IDENTITY
from sextant.types import (
    Change,
    Chunk,
    Document,
    Facets,
    IndexChange,
    IndexPosition,
    Put,
    Remove,
    Scope,
    StoreAbility,
)

PODS = Query("pods", k=50)


class Breakable(FollowingMemoryIndex):
    """An index that is out of reach for writers after so many calls."""

    def __init__(self) -> None:
        super().__init__(Tenants(Settings(), IDENTITY))
        self.calls_left = 1_000

    async def apply(self, scope: Scope, change: IndexChange) -> IndexPosition:
        if not self.calls_left:
            raise ConnectionError("The index is out of reach.")
        self.calls_left -= 1
        return await super().apply(scope, change)

    async def close(self) -> None:
        """Outlive whoever used it, as an engine does that is a server."""


def paired(store: Store, index: FollowingMemoryIndex) -> Store:
    return pair(store, index, Settings().limits)


def with_pair(
    folder: Path, task: Callable[[Store, Breakable], Awaitable[None]], *, adopt: bool = False
) -> None:
    async def run() -> None:
        index = Breakable()
        own = await open_store(str(folder / "s"), Settings(), IDENTITY, adopt=adopt)
        store = paired(own, index)
        try:
            await task(store, index)
        finally:
            await store.admin.close()

    asyncio.run(run())


def note(name: str, *personas: str) -> Put:
    document = Document(name, personas=frozenset(personas))
    return Put(document, (Chunk(f"{name}#1", "restart the pods"),))


def test_what_the_index_missed_is_found_once_it_is_back(tmp_path: Path) -> None:
    async def task(store: Store, index: Breakable) -> None:
        await store.truth.write(SCOPE, [note("a")])
        index.calls_left = 0
        commit = (await store.truth.write(SCOPE, [note("b"), Remove("a")])).commit
        assert commit == await store.truth.commit(SCOPE)
        status = await store.admin.status(SCOPE)
        assert status.documents_behind == 2
        assert ["out of reach" in one for one in status.problems] == [True]
        assert await store.admin.check(SCOPE)
        index.calls_left = 1
        assert ids(await store.index.search(SCOPE, replace(PODS, at_least=commit))) == ["b#1"]
        status = await store.admin.status(SCOPE)
        assert (status.documents_behind, status.problems) == (0, ())
        assert not await store.admin.check(SCOPE)

    with_pair(tmp_path, task)


def test_an_index_that_is_behind_says_so_and_shows_nothing_that_is_gone(tmp_path: Path) -> None:
    async def task(store: Store, index: Breakable) -> None:
        before = (await store.truth.write(SCOPE, [note(name) for name in "abcd"])).commit
        index.calls_left = 0
        rest = [note("b", "auditor"), replace(note("c"), key="new"), note("e")]
        changes: list[Change] = [Remove("a"), *rest]
        after = (await store.truth.write(SCOPE, changes)).commit
        found = await store.index.search(SCOPE, PODS)
        assert (ids(found), found.commit, found.is_behind) == (["d#1"], before, True)
        assert (found.frequencies, found.chunks) == ({}, 0)
        assert await store.index.facets(SCOPE) == Facets()
        assert not (await store.index.search(SCOPE, replace(PODS, at_least=before))).commit > before
        with pytest.raises(IndexBehind, match=f"commit {after}"):
            await store.index.search(SCOPE, replace(PODS, at_least=after))
        with pytest.raises(IndexBehind):
            await store.index.holding(SCOPE, ["pods"])
        with pytest.raises(CommitUnknown):
            await store.index.search(SCOPE, replace(PODS, at_least=after + 1))
        index.calls_left = 1
        found = await store.index.search(SCOPE, replace(PODS, at_least=after))
        assert (ids(found), found.is_behind) == (["c#1", "d#1", "e#1"], False)
        assert ids(await store.index.search(AUDITOR, PODS)) == ["b#1", "c#1", "d#1", "e#1"]

    with_pair(tmp_path, task)


def test_an_index_of_a_truth_that_is_made_anew_is_emptied(tmp_path: Path) -> None:
    async def run() -> None:
        index = Breakable()
        for folder, changes in (("old", [note("a")]), ("new", [])):
            own = await open_store(str(tmp_path / folder), Settings(), IDENTITY)
            store = paired(own, index)
            await store.truth.write(SCOPE, changes)
            found = ids(await store.index.search(SCOPE, PODS))
            assert found == [f"{one.document.id}#1" for one in changes]
            await own.admin.close()

    asyncio.run(run())


def test_what_a_process_wrote_that_died_before_the_index_heard_of_it_is_found(
    tmp_path: Path,
) -> None:
    async def run() -> None:
        index = Breakable()
        steps: list[tuple[list[Change], list[str]]] = [
            ([note("a"), note("b")], ["a#1", "b#1"]),
            ([Remove("a"), note("c")], ["b#1", "c#1"]),
        ]
        for changes, wanted in steps:
            died = await open_store(str(tmp_path / "s"), Settings(), IDENTITY)
            await died.truth.write(SCOPE, changes)
            await died.admin.close()
            store = paired(await open_store(str(tmp_path / "s"), Settings(), IDENTITY), index)
            assert (await store.admin.status(SCOPE)).documents_behind == 2
            assert ids(await store.index.search(SCOPE, PODS)) == wanted
            assert (await store.admin.status(SCOPE)).documents_behind == 0
            await store.admin.close()

    asyncio.run(run())


def test_what_another_process_writes_is_found_by_every_way_of_looking(tmp_path: Path) -> None:
    async def task(store: Store, _: Breakable) -> None:
        other = await open_store(str(tmp_path / "s"), Settings(), IDENTITY)
        put = samples.runbook()
        await other.truth.write(SCOPE, [put])
        assert (await store.index.facets(SCOPE)).source_types == {"runbook": 1}
        await other.truth.write(SCOPE, [replace(put, key="again"), note("b")])
        assert (await store.index.holding(SCOPE, ["pods"]))["pods"] == ["b", "runbook"]
        await other.truth.write(SCOPE, [replace(put, key="third")])
        assert set(await store.index.pieces(SCOPE, {"runbook#c1": "third"})) == {"runbook#c1"}
        await other.admin.close()

    with_pair(tmp_path, task)


def test_an_index_that_fails_halfway_is_brought_up_the_next_time(tmp_path: Path) -> None:
    async def task(store: Store, index: Breakable) -> None:
        index.calls_left = 2
        await store.truth.write(SCOPE, [note(f"{at:03}") for at in range(450)])
        assert (await index.held(SCOPE)).commit == 0
        assert (await store.admin.status(SCOPE)).documents_behind == 450
        assert (await store.index.search(SCOPE, PODS)).is_behind
        index.calls_left = 1_000
        await store.truth.write(SCOPE, [Remove("000")])
        found = await store.index.search(SCOPE, PODS)
        assert (found.chunks, found.is_behind) == (449, False)

    with_pair(tmp_path, task)


def test_an_index_that_is_ahead_of_a_restored_truth_begins_anew(tmp_path: Path) -> None:
    async def run() -> None:
        index = Breakable()
        later = IndexChange(IndexPosition(), 7, puts=(note("later"),))
        await index.apply(OPERATOR_SCOPE, later)
        store = paired(await open_store(str(tmp_path / "s"), Settings(), IDENTITY), index)
        await store.truth.write(SCOPE, [note("earlier")])
        assert ids(await store.index.search(SCOPE, PODS)) == ["earlier#1"]
        assert not await store.admin.check(SCOPE)
        await store.admin.close()

    asyncio.run(run())


def test_a_rebuild_fills_the_index_anew_with_the_new_vectors(tmp_path: Path) -> None:
    async def fill(store: Store, _: Breakable) -> None:
        await store.truth.write(SCOPE, [note("a"), samples.secret()])

    async def task(store: Store, _: Breakable) -> None:
        embedder = Tiny(8)
        await store.admin.rebuild(SCOPE, embedder)
        vector = (await embedder.embed(["pods"], "query"))[0]
        found = await store.index.search(SCOPE, Query(vector=vector))
        assert ids(found) == ["a#1"]
        assert ids(await store.index.search(AUDITOR, Query(vector=vector, k=9))) != ids(found)
        await store.admin.rebuild(SCOPE)
        assert ids(await store.index.search(SCOPE, Query(vector=vector))) == ["a#1"]

    with_pair(tmp_path, fill)
    with_pair(tmp_path, task, adopt=True)


def test_a_rebuild_that_could_not_fill_the_index_says_so(tmp_path: Path) -> None:
    async def task(store: Store, index: Breakable) -> None:
        await store.truth.write(SCOPE, [note("a")])
        index.calls_left = 0
        with pytest.raises(IndexBehind, match=r"filled anew.*out of reach"):
            await store.admin.rebuild(SCOPE)
        index.calls_left = 1
        await store.admin.rebuild(SCOPE)
        assert ids(await store.index.search(SCOPE, PODS)) == ["a#1"]

    with_pair(tmp_path, task)


def test_the_truth_is_closed_even_if_the_index_cannot_be(tmp_path: Path) -> None:
    class Stuck(FollowingMemoryIndex):
        async def close(self) -> None:
            raise ConnectionError("The index is out of reach.")

    async def run() -> None:
        store = await open_store(str(tmp_path / "s"), Settings(), IDENTITY)
        both = paired(store, Stuck(Tenants(Settings(), IDENTITY)))
        with pytest.raises(ConnectionError):
            await both.admin.close()
        with pytest.raises(StoreClosed):
            await store.truth.commit(SCOPE)

    asyncio.run(run())


class Slow:
    """A truth of which somebody is slow to hand on what was read."""

    def __init__(self, truth: Truth, meanwhile: Callable[[], Awaitable[object]]) -> None:
        self._truth, self._meanwhile = truth, meanwhile
        self.is_due = False

    def __getattr__(self, name: str) -> object:
        return getattr(self._truth, name)

    async def units(self, scope: Scope, document_ids: Sequence[str]) -> Mapping[str, Put]:
        found = await self._truth.units(scope, document_ids)
        if self.is_due:
            self.is_due = False
            await self._meanwhile()
        return found


def test_a_process_that_is_slow_does_not_set_a_shared_index_back(tmp_path: Path) -> None:
    async def run() -> None:
        index = Breakable()
        own = await open_store(str(tmp_path / "s"), Settings(), IDENTITY)
        fast = paired(own, index)

        async def meanwhile() -> None:
            await fast.truth.write(SCOPE, [replace(note("a", "auditor"), key="new"), Remove("b")])

        slow = Slow(own.truth, meanwhile)
        beside = paired(replace(own, truth=cast("Truth", slow)), index)
        await own.truth.write(SCOPE, [note(name) for name in "abc"])
        slow.is_due = True
        assert ids(await beside.index.search(SCOPE, PODS)) == ["c#1"]
        assert ids(await index.search(AUDITOR, PODS)) == ["a#1", "c#1"]
        commit = await own.truth.commit(SCOPE)
        assert (await index.held(SCOPE)).commit == commit
        await own.admin.close()

    asyncio.run(run())


def test_what_another_process_cleared_is_filled_again_before_anybody_looks(tmp_path: Path) -> None:
    async def task(store: Store, index: Breakable) -> None:
        await store.truth.write(SCOPE, [samples.runbook()])
        assert (await store.index.facets(SCOPE)).source_types == {"runbook": 1}
        await index.clear(OPERATOR_SCOPE)
        assert (await store.index.facets(SCOPE)).source_types == {"runbook": 1}

    with_pair(tmp_path, task)


def test_an_index_of_a_truth_that_was_restored_and_went_another_way_begins_anew(
    tmp_path: Path,
) -> None:
    async def run() -> None:
        index = Breakable()
        store = paired(await open_store(str(tmp_path / "s"), Settings(), IDENTITY), index)
        await store.truth.write(SCOPE, [note("a")])
        await store.admin.backup(tmp_path / "b.tar")
        await store.truth.write(SCOPE, [note("lost")])
        await store.admin.close()
        restore_store(tmp_path / "b.tar", tmp_path / "restored")
        own = await open_store(str(tmp_path / "restored"), Settings(), IDENTITY)
        await own.truth.write(SCOPE, [note("other")])
        store = paired(own, index)
        assert ids(await store.index.search(SCOPE, PODS)) == ["a#1", "other#1"]
        await store.admin.close()

    asyncio.run(run())


def test_a_truth_that_cannot_tell_what_changed_takes_no_other_index() -> None:
    class Silent(MemoryTruth):
        abilities = MemoryTruth.abilities - {StoreAbility.CHANGE_FEED}

    store = new_store(Settings(), IDENTITY)
    silent = replace(store, truth=Silent(Tenants(Settings(), IDENTITY)))
    with pytest.raises(ConfigError, match="what changed"):
        paired(silent, Breakable())


def test_an_answer_says_that_the_index_is_behind_and_is_not_remembered() -> None:
    async def run() -> None:
        index, embedder = Breakable(), Tiny(samples.WIDTH)
        store = paired(new_store(Settings(), embedder.identity), index)
        core = Sextant(store, embedder, Settings(), cached_searches=8)
        await core.write(SCOPE, [note("a")])
        index.calls_left = 0
        await core.write(SCOPE, [note("b")])
        late = await core.search(SCOPE, "Who restarts the pods?")
        step = late.trace.step("retrieve")
        assert step is not None
        assert step.fallback == "The index is behind: the latest changes may be missing."
        assert [hit.passage.chunk.id for hit in late.hits] == ["a#1"]
        index.calls_left = 1
        found = await core.search(SCOPE, "Who restarts the pods?")
        assert {hit.passage.chunk.id for hit in found.hits} == {"a#1", "b#1"}
        step = found.trace.step("retrieve")
        assert step is not None
        assert "behind" not in step.facts

    asyncio.run(run())


names = st.sampled_from("abcdef")
changes = st.one_of(
    st.builds(lambda name, key: replace(note(name), key=key), names, st.sampled_from("123")),
    st.builds(lambda name: note(name, "auditor"), names),
    st.builds(Remove, names),
)
batches = st.lists(changes, max_size=3, unique_by=lambda change: change.document_id)


@contextmanager
def remembering(least: int, batch_size: int = 200) -> Iterator[None]:
    """Let truths remember few removals, and documents be handed to an index so many at a time."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(removals, "LEAST", least)
        patched.setattr(following, "_BATCH", batch_size)
        yield


@given(
    st.lists(st.tuples(batches, st.integers(0, 2)), max_size=8),
    st.sampled_from([0, 1, 3, 10_000]),
    st.sampled_from([1, 2, 200]),
)
@settings(max_examples=150, deadline=None)
def test_however_often_the_index_fails_it_ends_like_the_truths_own(
    history: list[tuple[list[Change], int]], least: int, batch_size: int
) -> None:
    async def run() -> None:
        own, index = new_store(Settings(), IDENTITY), Breakable()
        store = paired(own, index)
        for batch, calls in history:
            index.calls_left = calls
            await store.truth.write(SCOPE, batch)
        index.calls_left = 1_000
        for scope in (SCOPE, AUDITOR, OPERATOR_SCOPE):
            found, right = [await one.index.search(scope, PODS) for one in (store, own)]
            assert scores(found) == scores(right)
            assert (found.commit, found.chunks) == (right.commit, right.chunks)
        assert not await store.admin.check(SCOPE)

    with remembering(least, batch_size):
        asyncio.run(run())


def removed_rows(folder: Path) -> int:
    (truth,) = folder.glob("tenants/*/truth.db")
    with closing(sqlite3.connect(truth)) as connection:
        return int(connection.execute("SELECT count(*) FROM removed").fetchone()[0])


def test_an_index_that_missed_removals_which_the_truth_forgot_is_filled_anew(
    tmp_path: Path,
) -> None:
    chosen = Settings(sqlite=SqliteSettings(flush_chunks=1))

    async def write_alone(*batches: list[Change]) -> None:
        for batch in batches:
            own = await open_store(str(tmp_path / "s"), chosen, IDENTITY)
            await own.truth.write(SCOPE, batch)
            await own.admin.close()

    async def run() -> None:
        index = Breakable()
        store = paired(await open_store(str(tmp_path / "s"), chosen, IDENTITY), index)
        await store.truth.write(SCOPE, [note(name) for name in "abcdef"])
        await store.admin.close()
        await write_alone([Remove("a")], [Remove("b")], [Remove("c")], [Remove("d")], [Remove("e")])
        assert removed_rows(tmp_path / "s") <= 2
        store = paired(await open_store(str(tmp_path / "s"), chosen, IDENTITY), index)
        assert (await store.admin.status(SCOPE)).documents_behind >= 1
        assert ids(await store.index.search(SCOPE, PODS)) == ["f#1"]
        assert ids(await index.search(OPERATOR_SCOPE, PODS)) == ["f#1"]
        assert not await store.admin.check(SCOPE)
        assert (await store.admin.status(SCOPE)).documents_behind == 0
        await store.admin.close()

    with remembering(2):
        asyncio.run(run())


def test_an_index_filled_halfway_drops_what_was_removed_and_forgotten_since() -> None:
    async def run() -> None:
        own, index = new_store(Settings(), IDENTITY), Breakable()
        store = paired(own, index)
        index.calls_left = 2
        await store.truth.write(SCOPE, [note(name) for name in "abcdef"])
        held = await index.held(SCOPE)
        assert held.commit == 0
        half = ids(await index.search(OPERATOR_SCOPE, PODS))
        assert half
        index.calls_left = 0
        for chunk_id in half:
            await store.truth.write(SCOPE, [Remove(chunk_id.removesuffix("#1"))])
        await store.truth.write(SCOPE, [Remove("none"), note("g"), note("h")])
        await store.truth.write(SCOPE, [Remove("g"), Remove("h")])
        index.calls_left = 1_000
        right = ids(await own.index.search(SCOPE, PODS))
        assert ids(await store.index.search(SCOPE, PODS)) == right
        assert ids(await index.search(OPERATOR_SCOPE, PODS)) == right

    with remembering(0, 1):
        asyncio.run(run())


@given(st.lists(batches, max_size=12), st.sampled_from([0, 2, 10_000]))
@settings(max_examples=60, deadline=None)
def test_who_asks_since_a_commit_that_is_complete_hears_of_every_removal(
    history: list[list[Change]], least: int
) -> None:
    async def run() -> None:
        truth = new_store(Settings(), IDENTITY).truth
        there: list[set[str]] = [set()]
        for batch in history:
            before = await truth.commit(SCOPE)
            if (await truth.write(SCOPE, batch)).commit > before:
                gone = {one.document_id for one in batch if isinstance(one, Remove)}
                put = {one.document_id for one in batch if isinstance(one, Put)}
                there.append((there[-1] | put) - gone)
        last = await truth.changed(SCOPE, 0)
        assert last.commit == len(there) - 1
        assert len(last.removed) <= max(least, len(there[-1]))
        for since in range(last.complete_since, len(there)):
            told = await truth.changed(SCOPE, since)
            assert set(told.removed) >= there[since] - there[-1]
            assert not set(told.removed) & there[-1]

    with remembering(least):
        asyncio.run(run())
