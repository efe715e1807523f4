"""Threads of the embedded store against plain dicts: any history, the same pages and lists."""

import asyncio
import tempfile
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from sextant.errors import SextantError, TooLarge
from sextant.limits import Limits
from sextant.ports import Store
from sextant.settings import Settings
from sextant.stores.memory.store import open_store as open_memory
from sextant.stores.sqlite.store import open_store as open_sqlite
from sextant.testing.store_suite.samples import day
from sextant.types import Append, EntryRange, Scope, Thread, ThreadEntry, ThreadSummary

T = TypeVar("T")
USERS = [Scope("one", user="ann"), Scope("one", user="bob")]
IDS = ["t", "t/1", "t/2"]
entries = st.builds(ThreadEntry, st.sampled_from(["user", "tool"]), st.just("1"), st.just(day(1)))
appends = st.builds(
    Append,
    st.sampled_from(IDS),
    st.lists(entries, max_size=4).map(tuple),
    st.none() | st.integers(0, 3),
    st.none() | st.just("Title"),
    st.none() | st.integers(1, 5),
)
parts = st.builds(
    EntryRange,
    st.integers(0, 6),
    st.none() | st.integers(0, 9),
    st.integers(1, 4),
    st.booleans(),
)


class Threads(RuleBasedStateMachine):
    """Does to both stores what a rule says, and compares what comes back."""

    @initialize()
    def open(self) -> None:
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory()
        self.model: Store = self.run(open_memory("", Settings(), None))
        self.store: Store = self.open_store()

    def open_store(self) -> Store:
        return self.run(open_sqlite(str(Path(self.folder.name) / "s"), Settings(), None))

    def run(self, task: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(task)

    def tried(self, task: Coroutine[Any, Any, T]) -> T | str:
        try:
            return self.run(task)
        except SextantError as error:
            return error.code

    @rule(
        scope=st.sampled_from(USERS),
        many=st.lists(appends, min_size=1, max_size=2, unique_by=lambda one: one.thread_id),
    )
    def append(self, scope: Scope, many: list[Append]) -> None:
        expected = self.tried(self.model.records.append_entries(scope, many))
        assert timeless(self.tried(self.store.records.append_entries(scope, many))) == timeless(
            expected
        )

    @rule(scope=st.sampled_from(USERS), name=st.sampled_from(IDS), version=st.integers(0, 3))
    def save(self, scope: Scope, name: str, version: int) -> None:
        thread = Thread(name, f"state {version}", version, "Saved")
        expected = self.tried(self.model.records.save_thread(scope, thread))
        assert self.tried(self.store.records.save_thread(scope, thread)) == expected

    @rule(scope=st.sampled_from(USERS), names=st.lists(st.sampled_from(IDS), max_size=2))
    def delete(self, scope: Scope, names: list[str]) -> None:
        expected = self.run(self.model.records.delete_threads(scope, names))
        assert self.run(self.store.records.delete_threads(scope, names)) == expected

    @rule(scope=st.sampled_from(USERS), name=st.sampled_from(IDS), part=parts)
    def read(self, scope: Scope, name: str, part: EntryRange) -> None:
        expected = self.run(self.model.records.read_entries(scope, name, part))
        assert self.run(self.store.records.read_entries(scope, name, part)) == expected

    @rule(
        scope=st.sampled_from(USERS),
        prefix=st.sampled_from(["", "t", "t/"]),
        limit=st.integers(1, 3),
    )
    def list_all(self, scope: Scope, prefix: str, limit: int) -> None:
        expected = self.run(listed(self.model, scope, prefix, limit))
        assert timeless(self.run(listed(self.store, scope, prefix, limit))) == timeless(expected)

    @rule()
    def reopen(self) -> None:
        self.run(self.store.admin.close())
        self.store = self.open_store()

    @invariant()
    def the_threads_are_the_same(self) -> None:
        if hasattr(self, "store"):
            for scope in USERS:
                expected = self.run(self.model.records.threads(scope, IDS))
                assert self.run(self.store.records.threads(scope, IDS)) == expected

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.run(self.store.admin.close())
            self.runner.close()
            self.folder.cleanup()


async def listed(store: Store, scope: Scope, prefix: str, limit: int) -> list[ThreadSummary]:
    """Return all pages of a list."""
    found: list[ThreadSummary] = []
    while page := await store.records.list_threads(
        scope, prefix, found[-1].cursor if found else "", limit
    ):
        found += page
    return found


def timeless(done: Sequence[ThreadSummary] | str) -> object:
    """Return summaries without what only one store can know."""
    if isinstance(done, str):
        return done
    return [(one.id, one.title, one.version, one.count, one.last) for one in done]


TestThreads = Threads.TestCase
TestThreads.settings = settings(
    max_examples=30,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


@settings(deadline=None)
@given(st.integers(0, 30), st.integers(1, 12), st.booleans(), st.integers(1, 30))
def test_pages_joined_are_the_whole(count: int, size: int, newest_first: bool, keep: int) -> None:
    scope = USERS[0]

    async def run() -> list[int]:
        store = await open_memory("", Settings(), None)
        for _ in range(count):
            await store.records.append_entries(
                scope, [Append("t", (ThreadEntry("user", "1"),), keep=keep)]
            )
        part, numbers = EntryRange(limit=size, newest_first=newest_first), list[int]()
        while page := await store.records.read_entries(scope, "t", part):
            numbers += [one.number for one in page]
            last = numbers[-1]
            part = replace(part, before=last) if newest_first else replace(part, after=last)
        return numbers

    whole = list(range(max(0, count - keep) + 1, count + 1))
    assert asyncio.run(run()) == (whole[::-1] if newest_first else whole)


@pytest.mark.parametrize("scheme", ["memory", "sqlite"])
def test_a_user_has_so_many_threads_and_a_thread_so_many_entries(
    tmp_path: Path, scheme: str
) -> None:
    few = Settings(limits=Limits(threads=2, entries=3))

    async def run() -> None:
        store: Store = await (
            open_memory("", few, None)
            if scheme == "memory"
            else open_sqlite(str(tmp_path / "s"), few, None)
        )
        try:
            await fill(store)
        finally:
            await store.admin.close()

    async def fill(store: Store) -> None:
        one, ann, bob = (ThreadEntry("user", "1"),), *USERS
        for name in ("a", "b"):
            await store.records.append_entries(ann, [Append(name, one * 3)])
        for refused in (
            store.records.append_entries(ann, [Append("c", one)]),
            store.records.save_thread(ann, Thread("c", "state")),
            store.records.append_entries(ann, [Append("a", one)]),
        ):
            with pytest.raises(TooLarge):
                await refused
        assert [item.count for item in await store.records.list_threads(ann)] == [3, 3]
        await store.records.append_entries(ann, [Append("a", one, keep=3)])
        await store.records.append_entries(bob, [Append("c", one)])
        await store.records.delete_threads(ann, ["b"])
        await store.records.save_thread(ann, Thread("c", "state"))

    asyncio.run(run())
