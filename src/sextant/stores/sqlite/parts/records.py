"""Counters, threads and feedback in SQLite, each in a small transaction of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sextant import limits
from sextant.stores.sqlite.leases import SqliteLeases
from sextant.stores.sqlite.tenants import OpenTenants
from sextant.stores.sqlite.truth import records, threads
from sextant.stores.times import time_of_cursor
from sextant.types import (
    PROMISES,
    Append,
    EntryRange,
    Feedback,
    Lease,
    Scope,
    Thread,
    ThreadEntry,
    ThreadSummary,
)


class SqliteRecords:
    """What is not knowledge, beside it in the tenant's database."""

    abilities = PROMISES["records"]

    def __init__(self, house: OpenTenants, leases: SqliteLeases) -> None:
        self._house, self._limits, self._leases = house, house.limits, leases

    async def count(self, scope: Scope, increments: Mapping[str, int]) -> Mapping[str, int]:
        """Add to counters, all or none, and return their new values."""
        limits.check_counters(increments, self._limits)
        return await self._house.record(scope, records.add_counts, increments)

    async def set_counter(self, scope: Scope, name: str, value: int, over: int) -> bool:
        """Set a counter if it still has the value that it is set over; say whether it had."""
        limits.check_counters({name: value}, self._limits)
        return await self._house.record(scope, records.set_counter, name, value, over)

    async def counters(self, scope: Scope, names: Sequence[str]) -> Mapping[str, int]:
        """Return the counters' values; one never counted is 0."""
        limits.check_ids("counter", names, self._limits)
        nothing = dict.fromkeys(names, 0)
        return await self._house.from_truth(scope, nothing, records.read_counters, names)

    async def threads(self, scope: Scope, ids: Sequence[str]) -> Mapping[str, Thread]:
        """Return the user's threads that exist."""
        limits.check_scope(scope, self._limits)
        limits.check_ids("thread id", ids, self._limits)
        return await self._house.from_truth(scope, {}, threads.read_threads, scope.user or "", ids)

    async def save_thread(self, scope: Scope, thread: Thread) -> Thread:
        """Save state and title if the thread has the version that it carries, else Conflict."""
        limits.check_thread(thread, self._limits)
        given = (scope.user or "", thread, self._limits)
        return await self._house.record(scope, threads.save_thread, *given)

    async def append_entries(
        self, scope: Scope, appends: Sequence[Append]
    ) -> Sequence[ThreadSummary]:
        """Append to threads, all or none, and return how each of them stands then."""
        limits.check_appends(appends, self._limits)
        given = (scope.user or "", appends, self._limits)
        return await self._house.record(scope, threads.append_entries, *given)

    async def read_entries(
        self, scope: Scope, thread_id: str, part: EntryRange
    ) -> Sequence[ThreadEntry]:
        """Return a page of the user's thread by number."""
        limits.check_ids("thread id", [thread_id], self._limits)
        limits.check_entry_range(part, self._limits)
        given = (scope.user or "", thread_id, part)
        return await self._house.from_truth(scope, [], threads.read_entries, *given)

    async def list_threads(
        self, scope: Scope, prefix: str = "", after: str = "", limit: int = 100
    ) -> Sequence[ThreadSummary]:
        """List the user's threads whose ids start with a prefix, the last changed first."""
        limits.check_thread_page(prefix, after, limit, self._limits)
        given = (scope.user or "", prefix, time_of_cursor(after), limit)
        return await self._house.from_truth(scope, [], threads.list_threads, *given)

    async def delete_threads(self, scope: Scope, ids: Sequence[str]) -> int:
        """Delete the user's threads with all that they hold, and return how many existed."""
        limits.check_ids("thread id", ids, self._limits)
        if not await self.threads(scope, ids):
            return 0  # so that a tenant which does not exist is not made
        return await self._house.record(scope, threads.delete_threads, scope.user or "", ids)

    async def feedback(self, scope: Scope, after: int = 0, limit: int = 100) -> Sequence[Feedback]:
        """Read on from a number."""
        limits.check_position(after, limit, self._limits)
        return await self._house.from_truth(scope, [], records.read_feedback, after, limit)

    async def append_feedback(self, scope: Scope, items: Sequence[Feedback]) -> int:
        """Append, and return the number of the last item."""
        limits.check_feedback(items, self._limits)
        return await self._house.record(scope, records.append_feedback, items)

    async def take_lease(
        self, scope: Scope, name: str, holder: str, seconds: float
    ) -> Lease | None:
        """Take a lease for so long, or renew it; None while it is somebody else's."""
        limits.check_scope(scope, self._limits)
        limits.check_lease(name, holder, seconds, self._limits)
        return await self._house.keep(self._leases.take, scope.tenant, name, holder, seconds)

    async def release_lease(self, scope: Scope, name: str, holder: str) -> None:
        """Give a lease back, or stop waiting for it; of somebody else's nothing changes."""
        limits.check_scope(scope, self._limits)
        limits.check_lease(name, holder, limits=self._limits)
        await self._house.keep(self._leases.release, scope.tenant, name, holder)
