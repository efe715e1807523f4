"""Records that each break one promise."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sextant.errors import Conflict, TooLarge
from sextant.stores.memory.parts.records import MemoryRecords
from sextant.stores.times import time_of_cursor
from sextant.types import Append, Feedback, Lease, Scope, Thread, ThreadSummary
from tests.conformance.broken.stores import STORES

_LONG = 600.0
"""Longer than any suite runs."""


@STORES.refused_by("test_counters_add_up")
class LostIncrements(MemoryRecords):
    """Breaks: counters add up, also from many tasks at once."""

    async def count(self, scope: Scope, increments: Mapping[str, int]) -> Mapping[str, int]:
        before = dict(self._tenants.tenant(scope).counters)
        await asyncio.sleep(0)
        totals = await super().count(scope, increments)
        lost = {name: before.get(name, 0) + step for name, step in increments.items()}
        self._tenants.made(scope).counters |= lost
        return {name: lost[name] for name in totals}


@STORES.refused_by("test_a_counter_is_set_only_over_the_value_that_was_read")
class BlindCounter(MemoryRecords):
    """Breaks: a counter is set only over the value that was read."""

    async def set_counter(self, scope: Scope, name: str, value: int, over: int) -> bool:
        await super().set_counter(scope, name, value, over)
        self._tenants.made(scope).counters[name] = value
        return True


@STORES.refused_by("test_a_counter_that_is_full_is_refused_whole")
class HalfCounted(MemoryRecords):
    """Breaks: all counters of a call are added to, or none."""

    async def count(self, scope: Scope, increments: Mapping[str, int]) -> Mapping[str, int]:
        try:
            return await super().count(scope, increments)
        except TooLarge:
            for name, step in increments.items():
                await super().count(scope, {name: step})
            raise


@STORES.refused_by(
    "test_a_thread_is_saved_only_over_the_version_it_was_loaded_at",
    "test_a_state_that_was_saved_before_an_append_is_not_saved_over",
)
class BlindSave(MemoryRecords):
    """Breaks: a thread is saved only over the version that it was loaded at."""

    async def save_thread(self, scope: Scope, thread: Thread) -> Thread:
        known = (await self.threads(scope, [thread.id])).get(thread.id)
        version = known.version if known else thread.version
        return await super().save_thread(scope, replace(thread, version=version))


@STORES.refused_by("test_an_append_that_names_a_version_needs_it")
class HalfAppended(MemoryRecords):
    """Breaks: all threads of a call are appended to, or none."""

    async def append_entries(
        self, scope: Scope, appends: Sequence[Append]
    ) -> Sequence[ThreadSummary]:
        try:
            return await super().append_entries(scope, appends)
        except Conflict:
            for one in appends:
                await super().append_entries(scope, [one])
            raise


@STORES.refused_by("test_only_the_last_entries_are_kept_where_that_is_asked_for")
class NumbersGivenTwice(MemoryRecords):
    """Breaks: the number of an entry is given once."""

    async def append_entries(
        self, scope: Scope, appends: Sequence[Append]
    ) -> Sequence[ThreadSummary]:
        await super().append_entries(scope, appends)
        own = self._tenants.made(scope).threads.users[scope.user or ""]
        for one in appends:
            kept = own[one.thread_id]
            numbered = tuple(replace(entry, number=at) for at, entry in enumerate(kept.entries, 1))
            own[one.thread_id] = replace(kept, entries=numbered, last=len(numbered))
        return [own[one.thread_id].summary for one in appends]


@STORES.refused_by("test_threads_of_others_do_not_exist")
class ThreadsOfEverybody(MemoryRecords):
    """Breaks: a user's list shows the threads of that user."""

    async def list_threads(
        self, scope: Scope, prefix: str = "", after: str = "", limit: int = 100
    ) -> Sequence[ThreadSummary]:
        await super().list_threads(scope, prefix, after, limit)
        threads, before = self._tenants.tenant(scope).threads, time_of_cursor(after)
        pages = [threads.page(user, prefix, before, limit) for user in list(threads.users)]
        return sorted((one for page in pages for one in page), key=lambda one: one.changed)[::-1]


@STORES.refused_by("test_feedback_is_kept_in_the_order_it_came")
class NewestFeedbackFirst(MemoryRecords):
    """Breaks: feedback is read in the order in which it came."""

    async def feedback(self, scope: Scope, after: int = 0, limit: int = 100) -> Sequence[Feedback]:
        return (await super().feedback(scope, after, limit))[::-1]


@STORES.refused_by(
    "test_a_lease_has_one_holder_until_it_is_released",
    "test_who_waits_for_a_lease_gets_it_in_the_order_of_asking",
)
class LeaseForTwo(MemoryRecords):
    """Breaks: a lease has one holder."""

    async def take_lease(
        self, scope: Scope, name: str, holder: str, seconds: float
    ) -> Lease | None:
        lease = await super().take_lease(scope, name, holder, seconds)
        return lease or Lease(name, holder, 1)


@STORES.refused_by("test_a_lease_that_is_not_renewed_ends")
class EndlessLease(MemoryRecords):
    """Breaks: a lease that is not renewed ends."""

    async def take_lease(
        self, scope: Scope, name: str, holder: str, seconds: float
    ) -> Lease | None:
        await super().take_lease(scope, name, holder, seconds)
        return await super().take_lease(scope, name, holder, _LONG)


@STORES.refused_by("test_leases_of_other_names_and_tenants_are_others")
class LeaseOfAllTenants(MemoryRecords):
    """Breaks: a lease is one of a tenant."""

    async def take_lease(
        self, scope: Scope, name: str, holder: str, seconds: float
    ) -> Lease | None:
        if not scope.tenant:
            return await super().take_lease(scope, name, holder, seconds)
        return await super().take_lease(replace(scope, tenant="all"), name, holder, seconds)

    async def release_lease(self, scope: Scope, name: str, holder: str) -> None:
        await super().release_lease(replace(scope, tenant="all"), name, holder)
