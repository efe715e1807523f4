"""Threads: saved over a version, appended to, read in pages, listed and deleted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sextant.errors import Conflict, InvalidInput, TooLarge
from sextant.limits import DEFAULT
from sextant.ports import Store
from sextant.testing.store_suite.checks import refused
from sextant.testing.store_suite.opening import Opened, needs
from sextant.testing.store_suite.samples import day
from sextant.types import (
    Append,
    EntryRange,
    Scope,
    StoreAbility,
    Thread,
    ThreadEntry,
    ThreadSummary,
)

ANN, BOB = Scope("acme", user="ann"), Scope("acme", user="bob")
_OTHERS = (BOB, Scope("acme"), Scope("globex", user="ann"))


class ThreadPromises(Opened):
    """Threads: saved over a version, appended to, read in pages, listed and deleted."""

    def test_a_thread_is_saved_only_over_the_version_it_was_loaded_at(self, tmp_path: Path) -> None:
        """Of several who save at once, one wins and the others are told."""

        async def task(store: Store) -> None:
            saved = await store.records.save_thread(ANN, Thread("t", "one", title="First"))
            assert saved == Thread("t", "one", 1, "First")
            await refused(Conflict, store.records.save_thread(ANN, Thread("t", "two")))
            tries = [
                store.records.save_thread(ANN, replace(saved, state=f"{at}")) for at in range(5)
            ]
            results = await asyncio.gather(*tries, return_exceptions=True)
            assert sum(isinstance(one, Thread) for one in results) == 1
            assert sum(isinstance(one, Conflict) for one in results) == 4
            assert (await store.records.threads(ANN, ["t"]))["t"].version == 2
            assert not await store.records.threads(BOB, ["t"])

        self.with_store(tmp_path, task)

    def test_what_is_appended_is_numbered_and_comes_back_as_it_was(self, tmp_path: Path) -> None:
        """With its time, or the time of the store where it came without."""

        async def task(store: Store) -> None:
            body = json.dumps({"text": 'Grüße, "you" \u2603', "n": [1, None]}, ensure_ascii=False)
            given = ThreadEntry("user", body, day(3))
            [first] = await store.records.append_entries(ANN, [Append("t", (given,), title="Talk")])
            assert (first.id, first.title, first.version) == ("t", "Talk", 1)
            assert (first.count, first.last) == (1, 1)
            [second] = await store.records.append_entries(ANN, [Append("t", entries("b", "c"))])
            assert (second.title, second.version, second.count, second.last) == ("Talk", 2, 3, 3)
            assert second.changed > first.changed
            read = await store.records.read_entries(ANN, "t", EntryRange())
            assert read[0] == replace(given, number=1)
            assert [(one.number, one.kind, one.body) for one in read[1:]] == [
                (2, "user", '"b"'),
                (3, "user", '"c"'),
            ]
            assert all(one.at is not None for one in read)

        self.with_store(tmp_path, task)

    def test_an_append_that_names_a_version_needs_it(self, tmp_path: Path) -> None:
        """And a batch of which one thread moved on appends to none of its threads."""

        async def task(store: Store) -> None:
            await store.records.append_entries(ANN, [Append("t", entries("a"), version=0)])
            await refused(
                Conflict, store.records.append_entries(ANN, [Append("t", entries("b"), version=0)])
            )
            batch = [Append("new", entries("x")), Append("t", entries("b"), version=7)]
            await refused(Conflict, store.records.append_entries(ANN, batch))
            assert not await store.records.threads(ANN, ["new"])
            assert not await store.records.read_entries(ANN, "new", EntryRange())
            await store.records.append_entries(ANN, [Append("t", entries("b"), version=1)])
            assert await bodies(store, "t") == ["a", "b"]

        self.with_store(tmp_path, task)

    def test_a_state_that_was_saved_before_an_append_is_not_saved_over(
        self, tmp_path: Path
    ) -> None:
        """Saving keeps the entries, and appending keeps the state."""

        async def task(store: Store) -> None:
            saved = await store.records.save_thread(ANN, Thread("t", "state", title="Talk"))
            [grown] = await store.records.append_entries(ANN, [Append("t", entries("a"))])
            await refused(Conflict, store.records.save_thread(ANN, replace(saved, state="blind")))
            known = (await store.records.threads(ANN, ["t"]))["t"]
            assert known == Thread("t", "state", grown.version, "Talk")
            await store.records.save_thread(ANN, replace(known, state="seen", title="Other"))
            assert await bodies(store, "t") == ["a"]
            assert [one.title for one in await store.records.list_threads(ANN)] == ["Other"]

        self.with_store(tmp_path, task)

    def test_many_who_append_at_once_are_all_kept_in_one_order(self, tmp_path: Path) -> None:
        """What one call brings stays together."""

        async def task(store: Store) -> None:
            calls = [Append("t", entries(f"{at}a", f"{at}b")) for at in range(12)]
            done = await asyncio.gather(
                *(store.records.append_entries(ANN, [one]) for one in calls)
            )
            assert sorted(one.version for [one] in done) == list(range(1, 13))
            read = await store.records.read_entries(ANN, "t", EntryRange())
            assert [one.number for one in read] == list(range(1, 25))
            said = [json.loads(one.body) for one in read]
            assert sorted(said) == sorted(json.loads(e.body) for one in calls for e in one.entries)
            pairs = zip(said[::2], said[1::2], strict=True)
            assert all(one[:-1] == other[:-1] for one, other in pairs)

        self.with_store(tmp_path, task)

    def test_pages_in_either_order_are_the_whole(self, tmp_path: Path) -> None:
        """Whatever their size; a page after a number goes on while others append."""

        async def task(store: Store) -> None:
            words = [f"w{at}" for at in range(11)]
            await store.records.append_entries(ANN, [Append("t", entries(*words))])
            for size in (1, 3, 11, 20):
                assert await joined(store, size, newest_first=False) == words
                assert await joined(store, size, newest_first=True) == words[::-1]
            between = EntryRange(after=2, before=6, limit=2)
            assert await bodies(store, "t", between) == ["w2", "w3"]
            assert await bodies(store, "t", replace(between, newest_first=True)) == ["w4", "w3"]
            assert not await store.records.read_entries(ANN, "t", EntryRange(after=11))
            await store.records.append_entries(ANN, [Append("t", entries("late"))])
            assert await bodies(store, "t", EntryRange(after=11)) == ["late"]

        self.with_store(tmp_path, task)

    def test_only_the_last_entries_are_kept_where_that_is_asked_for(self, tmp_path: Path) -> None:
        """Numbers go on: none is given twice."""

        async def task(store: Store) -> None:
            for word in "abcd":
                await store.records.append_entries(
                    ANN, [Append("t", entries(word, word.upper()), keep=3)]
                )
            [summary] = await store.records.append_entries(
                ANN, [Append("t", entries("e", "E"), keep=3)]
            )
            assert (summary.count, summary.last) == (3, 10)
            read = await store.records.read_entries(ANN, "t", EntryRange())
            assert [(one.number, one.body) for one in read] == [(8, '"D"'), (9, '"e"'), (10, '"E"')]

        self.with_store(tmp_path, task)

    def test_threads_are_listed_the_last_changed_first(self, tmp_path: Path) -> None:
        """By prefix, page by page; one that changes meanwhile moves no other."""

        async def task(store: Store) -> None:
            names = [f"a/{at}" for at in range(5)]
            for name in [*names, "b/0"]:
                await store.records.append_entries(ANN, [Append(name, entries("x"))])
            await store.records.save_thread(ANN, (await store.records.threads(ANN, ["a/1"]))["a/1"])
            assert ids(await store.records.list_threads(ANN)) == [
                "a/1",
                "b/0",
                "a/4",
                "a/3",
                "a/2",
                "a/0",
            ]
            first = await store.records.list_threads(ANN, "a/", limit=2)
            assert ids(first) == ["a/1", "a/4"]
            await store.records.append_entries(ANN, [Append("a/4", entries("y"))])
            rest = await store.records.list_threads(ANN, "a/", first[-1].cursor, 2)
            assert ids(rest) == ["a/3", "a/2"]
            assert ids(await store.records.list_threads(ANN, "a/", rest[-1].cursor)) == ["a/0"]
            assert not await store.records.list_threads(ANN, "c/")
            assert not await store.records.list_threads(ANN, "%")
            await refused(InvalidInput, store.records.list_threads(ANN, after="none of these"))

        self.with_store(tmp_path, task)

    def test_what_is_deleted_is_gone_with_all_that_it_held(self, tmp_path: Path) -> None:
        """And a thread of the same id begins anew."""

        async def task(store: Store) -> None:
            for name in ("t", "u"):
                await store.records.append_entries(
                    ANN, [Append(name, entries("a", "b"), title="Talk")]
                )
            assert await store.records.delete_threads(ANN, ["t", "never"]) == 1
            assert not await store.records.threads(ANN, ["t"])
            assert not await store.records.read_entries(ANN, "t", EntryRange())
            assert ids(await store.records.list_threads(ANN)) == ["u"]
            [again] = await store.records.append_entries(
                ANN, [Append("t", entries("c"), version=0)]
            )
            assert (again.version, again.count, again.last, again.title) == (1, 1, 1, "")
            assert await bodies(store, "t") == ["c"]

        self.with_store(tmp_path, task)

    def test_threads_of_others_do_not_exist(self, tmp_path: Path) -> None:
        """Neither of another user, nor of nobody, nor of the user in another tenant."""

        async def task(store: Store) -> None:
            await store.records.append_entries(ANN, [Append("t", entries("mine"))])
            for other in _OTHERS:
                assert not await store.records.threads(other, ["t"])
                assert not await store.records.read_entries(other, "t", EntryRange())
                assert not await store.records.list_threads(other)
                assert await store.records.delete_threads(other, ["t"]) == 0
            assert "globex" not in await store.admin.tenants()
            for other in _OTHERS:
                own = Append("t", entries("theirs"), version=0)
                [summary] = await store.records.append_entries(other, [own])
                assert summary.count == 1
            assert await bodies(store, "t") == ["mine"]

        self.with_store(tmp_path, task)

    def test_what_is_no_entry_or_too_much_is_refused_whole(self, tmp_path: Path) -> None:
        """As is a page that is longer than a page may be."""
        good = ThreadEntry("user", "1")
        wrong = [
            (InvalidInput, (replace(good, body="{"),)),
            (InvalidInput, (replace(good, kind=""),)),
            (TooLarge, (replace(good, body=json.dumps("x" * DEFAULT.entry)),)),
            (TooLarge, (good,) * (DEFAULT.batch + 1)),
        ]

        async def task(store: Store) -> None:
            for error, given in wrong:
                await refused(
                    error, store.records.append_entries(ANN, [Append("t", (good, *given))])
                )
            twice = [Append("t", (good,)), Append("t", (good,))]
            await refused(InvalidInput, store.records.append_entries(ANN, twice))
            long = EntryRange(limit=DEFAULT.entry_page + 1)
            await refused(TooLarge, store.records.read_entries(ANN, "t", long))
            assert not await store.records.list_threads(ANN)

        self.with_store(tmp_path, task)

    def test_a_thread_lasts_with_its_entries(self, tmp_path: Path) -> None:
        """Its list, numbers and versions, too."""

        async def write(store: Store) -> tuple[Sequence[object], ...]:
            needs(store.records, StoreAbility.DURABLE)
            await store.records.save_thread(ANN, Thread("t", "state"))
            await store.records.append_entries(
                ANN, [Append("t", entries("a", "b"), keep=1, title="Talk")]
            )
            await store.records.append_entries(ANN, [Append("u", entries("c"))])
            return await read(store)

        async def read(store: Store) -> tuple[Sequence[object], ...]:
            threads = await store.records.threads(ANN, ["t", "u"])
            pages = [await store.records.read_entries(ANN, name, EntryRange()) for name in "tu"]
            return list(threads.items()), pages, await store.records.list_threads(ANN)

        assert self.with_store(tmp_path, write) == self.with_store(tmp_path, read)


def entries(*words: str) -> tuple[ThreadEntry, ...]:
    """Return an entry of a user for each word."""
    return tuple(ThreadEntry("user", json.dumps(word)) for word in words)


def ids(threads: Sequence[ThreadSummary]) -> list[str]:
    """Return the ids of what was listed."""
    return [one.id for one in threads]


async def bodies(store: Store, thread_id: str, part: EntryRange | None = None) -> list[str]:
    """Return what the entries of Ann's thread say."""
    found = await store.records.read_entries(ANN, thread_id, part or EntryRange())
    return [json.loads(one.body) for one in found]


async def joined(store: Store, size: int, *, newest_first: bool) -> list[str]:
    """Return what the pages of Ann's thread say together."""
    said: list[str] = []
    part = EntryRange(limit=size, newest_first=newest_first)
    while True:
        page = await store.records.read_entries(ANN, "t", part)
        said += [json.loads(one.body) for one in page]
        if len(page) < size:
            return said
        if newest_first:
            part = replace(part, before=page[-1].number)
        else:
            part = replace(part, after=page[-1].number)
