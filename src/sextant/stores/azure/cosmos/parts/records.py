"""Counters, threads, feedback and leases behind their port."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sextant import limits
from sextant.stores.azure.cosmos.records.counters import CosmosCounters
from sextant.stores.azure.cosmos.records.feedback import CosmosFeedback
from sextant.stores.azure.cosmos.records.leases import CosmosLeases
from sextant.stores.azure.cosmos.records.threads import CosmosThreads
from sextant.stores.azure.cosmos.tenants import Tenants
from sextant.stores.times import time_of_cursor
from sextant.types import (
    PROMISES,
    Append,
    EntryRange,
    Feedback,
    Lease,
    Scope,
    StoreAbility,
    Thread,
    ThreadEntry,
    ThreadSummary,
)


class CosmosRecords:
    """What is not knowledge, for all processes that share the database.

    A call that appends to several threads does so one after the other, so that is not promised.
    """

    abilities = PROMISES["records"] - {StoreAbility.ATOMIC_BATCH}

    def __init__(self, tenants: Tenants) -> None:
        self._check, self._limits = tenants.check, tenants.settings.limits
        containers = tenants.containers
        self._counters, self._feedback = CosmosCounters(containers), CosmosFeedback(containers)
        self._threads = CosmosThreads(containers, self._limits)
        self._leases = CosmosLeases(containers)

    async def count(self, scope: Scope, increments: Mapping[str, int]) -> Mapping[str, int]:
        """Add to counters, all or none, and return their new values."""
        limits.check_counters(increments, self._limits)
        return await self._counters.add(self._check(scope).tenant, increments)

    async def set_counter(self, scope: Scope, name: str, value: int, over: int) -> bool:
        """Set a counter if it still has the value that it is set over; say whether it had."""
        limits.check_counters({name: value}, self._limits)
        return await self._counters.put(self._check(scope).tenant, name, value, over)

    async def counters(self, scope: Scope, names: Sequence[str]) -> Mapping[str, int]:
        """Return the counters' values; one never counted is 0."""
        limits.check_ids("counter", names, self._limits)
        return await self._counters.read(self._check(scope).tenant, names)

    async def threads(self, scope: Scope, ids: Sequence[str]) -> Mapping[str, Thread]:
        """Return the user's threads that exist."""
        limits.check_ids("thread id", ids, self._limits)
        return await self._threads.read(self._check(scope).tenant, scope.user or "", ids)

    async def save_thread(self, scope: Scope, thread: Thread) -> Thread:
        """Save state and title if the thread has the version that it carries, else Conflict."""
        limits.check_thread(thread, self._limits)
        return await self._threads.save(self._check(scope).tenant, scope.user or "", thread)

    async def append_entries(
        self, scope: Scope, appends: Sequence[Append]
    ) -> Sequence[ThreadSummary]:
        """Append to threads, and return how each of them stands then."""
        limits.check_appends(appends, self._limits)
        return await self._threads.append(self._check(scope).tenant, scope.user or "", appends)

    async def read_entries(
        self, scope: Scope, thread_id: str, part: EntryRange
    ) -> Sequence[ThreadEntry]:
        """Return a page of the user's thread by number."""
        limits.check_ids("thread id", [thread_id], self._limits)
        limits.check_entry_range(part, self._limits)
        tenant = self._check(scope).tenant
        return await self._threads.entries(tenant, scope.user or "", thread_id, part)

    async def list_threads(
        self, scope: Scope, prefix: str = "", after: str = "", limit: int = 100
    ) -> Sequence[ThreadSummary]:
        """List the user's threads whose ids start with a prefix, the last changed first."""
        limits.check_thread_page(prefix, after, limit, self._limits)
        before, tenant = time_of_cursor(after), self._check(scope).tenant
        return await self._threads.page(tenant, scope.user or "", prefix, before, limit)

    async def delete_threads(self, scope: Scope, ids: Sequence[str]) -> int:
        """Delete the user's threads with all that they hold, and return how many existed."""
        limits.check_ids("thread id", ids, self._limits)
        return await self._threads.delete(self._check(scope).tenant, scope.user or "", ids)

    async def feedback(self, scope: Scope, after: int = 0, limit: int = 100) -> Sequence[Feedback]:
        """Read on from a number."""
        limits.check_position(after, limit, self._limits)
        return await self._feedback.read(self._check(scope).tenant, after, limit)

    async def append_feedback(self, scope: Scope, items: Sequence[Feedback]) -> int:
        """Append, and return the number of the last item."""
        limits.check_feedback(items, self._limits)
        return await self._feedback.append(self._check(scope).tenant, items)

    async def take_lease(
        self, scope: Scope, name: str, holder: str, seconds: float
    ) -> Lease | None:
        """Take a lease for so long, or renew it; None while it is somebody else's."""
        limits.check_lease(name, holder, seconds, self._limits)
        return await self._leases.take(self._check(scope).tenant, name, holder, seconds)

    async def release_lease(self, scope: Scope, name: str, holder: str) -> None:
        """Give a lease back, or stop waiting for it; of somebody else's nothing changes."""
        limits.check_lease(name, holder, limits=self._limits)
        await self._leases.release(self._check(scope).tenant, name, holder)

    async def everything(
        self, scope: Scope
    ) -> tuple[
        Mapping[str, int],
        Mapping[str, Iterable[Thread]],
        Iterable[tuple[str, str, ThreadEntry]],
        Iterable[Feedback],
    ]:
        """Return all that is kept, for a dump."""
        tenant = self._check(scope).tenant
        threads, entries = await self._threads.everything(tenant)
        counters = await self._counters.all_values(tenant)
        return counters, threads, entries, await self._feedback.read(tenant)
