"""Counters and feedback, and what outlives a process."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sextant.errors import (
    StoreClosed,
    StoreError,
    TooLarge,
)
from sextant.ports import Store
from sextant.query import Query
from sextant.testing.store_suite import samples
from sextant.testing.store_suite.checks import content, refused
from sextant.testing.store_suite.opening import Opened, needs
from sextant.testing.store_suite.samples import OPERATOR_SCOPE, SCOPE, day
from sextant.types import (
    PROMISES,
    Append,
    Feedback,
    Remove,
    StoreAbility,
    Thread,
    ThreadEntry,
)


class RecordPromises(Opened):
    """Counters and feedback, and what outlives a process."""

    def test_counters_add_up(self, tmp_path: Path) -> None:
        """All of a call or none of it, also from many tasks at once."""

        async def task(store: Store) -> None:
            await asyncio.gather(*(store.records.count(SCOPE, {"a": 1, "b": 2}) for _ in range(20)))
            assert await store.records.counters(SCOPE, ["a", "b", "c"]) == {
                "a": 20,
                "b": 40,
                "c": 0,
            }
            assert await store.records.count(SCOPE, {"a": -5}) == {"a": 15}

        self.with_store(tmp_path, task)

    def test_a_counter_is_set_only_over_the_value_that_was_read(self, tmp_path: Path) -> None:
        """Of many who read the same value, one sets it."""

        async def task(store: Store) -> None:
            setting = store.records.set_counter
            done = await asyncio.gather(*(setting(SCOPE, "a", at, 0) for at in range(1, 21)))
            assert sum(done) == 1
            assert await store.records.counters(SCOPE, ["a"]) == {"a": done.index(True) + 1}
            assert not await setting(SCOPE, "a", 5, 0)
            assert await setting(SCOPE, "a", 0, done.index(True) + 1)
            assert await store.records.count(SCOPE, {"a": 2}) == {"a": 2}

        self.with_store(tmp_path, task)

    def test_a_counter_that_is_full_is_refused_whole(self, tmp_path: Path) -> None:
        """It stays a whole number of 64 bits, and the others of the call stay as they were."""

        async def task(store: Store) -> None:
            needs(store.records, StoreAbility.ATOMIC_BATCH)
            step, calls = 2**53, 2**10 - 1
            for _ in range(calls):
                await store.records.count(SCOPE, {"up": step, "down": -step})
            assert await store.records.count(SCOPE, {"up": step - 1}) == {"up": 2**63 - 1}
            before = {"up": 2**63 - 1, "down": -calls * step, "other": 0}
            await refused(TooLarge, store.records.count(SCOPE, {"other": 1, "up": 1}))
            await refused(TooLarge, store.records.count(SCOPE, {"other": 1, "down": -step}))
            assert await store.records.counters(SCOPE, list(before)) == before
            assert await store.records.count(SCOPE, {"up": -1}) == {"up": 2**63 - 2}

        self.with_store(tmp_path, task)

    def test_feedback_is_kept_in_the_order_it_came(self, tmp_path: Path) -> None:
        """And read on from any number."""

        async def task(store: Store) -> None:
            items = [Feedback(f"s{at}", "helpful", "ann", "ok", day(at + 1)) for at in range(3)]
            assert await store.records.append_feedback(SCOPE, items) == 3
            assert await store.records.append_feedback(SCOPE, [Feedback("s3", "wrong")]) == 4
            read = await store.records.feedback(SCOPE, 1, 2)
            assert [(item.subject, item.number) for item in read] == [("s1", 2), ("s2", 3)]
            assert read[0].at == day(2)

        self.with_store(tmp_path, task)

    def test_the_status_says_what_there_is_and_what_can_be_done(self, tmp_path: Path) -> None:
        """A store that cannot be backed up says so both ways."""

        async def task(store: Store) -> None:
            commit = (await store.truth.write(SCOPE, [samples.policy()])).commit
            status = await store.admin.status(OPERATOR_SCOPE)
            assert (status.tenant, status.commit, status.counts.chunks) == ("acme", commit, 1)
            assert status.embedder is not None
            assert status.problems == ()
            assert status.documents_behind == 0
            if StoreAbility.ONLINE_BACKUP in store.admin.abilities:
                assert await store.admin.backup(tmp_path / "backup") > 0
            else:
                await refused(StoreError, store.admin.backup(tmp_path / "backup"))

        self.with_store(tmp_path, task)

    def test_every_part_says_what_it_promises(self, tmp_path: Path) -> None:
        """Nothing that is not asked of it, and the same as long as it is open."""

        async def task(store: Store) -> None:
            before = store.abilities
            assert set(before) == set(PROMISES)
            for part, own in before.items():
                assert own <= PROMISES[part], part
            await store.truth.write(SCOPE, [samples.policy()])
            assert store.abilities == before

        self.with_store(tmp_path, task)

    def test_a_closed_store_says_so(self, tmp_path: Path) -> None:
        """And may be closed twice."""

        async def run() -> None:
            store = await self.open_store(tmp_path)
            await store.admin.close()
            await store.admin.close()
            await refused(StoreClosed, store.index.search(SCOPE, Query("x")))
            await refused(StoreClosed, store.truth.write(SCOPE, [samples.policy()]))

        asyncio.run(run())

    def test_what_was_acknowledged_is_there_after_reopening(self, tmp_path: Path) -> None:
        """Knowledge and records alike."""

        async def write(store: Store) -> list[str]:
            needs(store.truth, StoreAbility.DURABLE)
            needs(store.records, StoreAbility.DURABLE)
            await store.truth.write(SCOPE, [samples.runbook(), samples.policy()])
            await store.truth.write(SCOPE, [Remove("policy")])
            await store.records.count(SCOPE, {"n": 2})
            await store.records.save_thread(SCOPE, Thread("t", "state"))
            await store.records.append_entries(SCOPE, [Append("t", (ThreadEntry("user", "1"),))])
            await store.records.append_feedback(SCOPE, [Feedback("s", "good")])
            return await content(store, OPERATOR_SCOPE)

        async def read(store: Store) -> list[str]:
            assert not await store.admin.check(SCOPE)
            return await content(store, OPERATOR_SCOPE)

        assert self.with_store(tmp_path, write) == self.with_store(tmp_path, read)
