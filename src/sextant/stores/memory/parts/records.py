"""Counters, threads and feedback in dicts and a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sextant import limits
from sextant.stores.memory.leases import MemoryLeases
from sextant.stores.memory.tenants import Tenants
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


class MemoryRecords:
    """What is not knowledge, until the process ends."""

    abilities = PROMISES["records"] - {StoreAbility.DURABLE}

    def __init__(self, tenants: Tenants) -> None:
        self._tenants, self._limits = tenants, tenants.settings.limits
        self._leases = MemoryLeases()

    async def count(self, scope: Scope, increments: Mapping[str, int]) -> Mapping[str, int]:
        """Add to counters, all or none, and return their new values."""
        limits.check_counters(increments, self._limits)
        counters = self._tenants.made(scope).counters
        totals = {name: counters.get(name, 0) + step for name, step in increments.items()}
        limits.check_totals(totals)
        counters |= totals
        return totals

    async def set_counter(self, scope: Scope, name: str, value: int, over: int) -> bool:
        """Set a counter if it still has the value that it is set over; say whether it had."""
        limits.check_counters({name: value}, self._limits)
        counters = self._tenants.made(scope).counters
        if counters.get(name, 0) != over:
            return False
        counters[name] = value
        return True

    async def counters(self, scope: Scope, names: Sequence[str]) -> Mapping[str, int]:
        """Return the counters' values; one never counted is 0."""
        limits.check_ids("counter", names, self._limits)
        return {name: self._tenants.tenant(scope).counters.get(name, 0) for name in names}

    async def threads(self, scope: Scope, ids: Sequence[str]) -> Mapping[str, Thread]:
        """Return the user's threads that exist."""
        limits.check_ids("thread id", ids, self._limits)
        return self._tenants.tenant(scope).threads.read(scope.user or "", ids)

    async def save_thread(self, scope: Scope, thread: Thread) -> Thread:
        """Save state and title if the thread has the version that it carries, else Conflict."""
        limits.check_thread(thread, self._limits)
        return self._tenants.made(scope).threads.save(scope.user or "", thread, self._limits)

    async def append_entries(
        self, scope: Scope, appends: Sequence[Append]
    ) -> Sequence[ThreadSummary]:
        """Append to threads, all or none, and return how each of them stands then."""
        limits.check_appends(appends, self._limits)
        return self._tenants.made(scope).threads.append(scope.user or "", appends, self._limits)

    async def read_entries(
        self, scope: Scope, thread_id: str, part: EntryRange
    ) -> Sequence[ThreadEntry]:
        """Return a page of the user's thread by number."""
        limits.check_ids("thread id", [thread_id], self._limits)
        limits.check_entry_range(part, self._limits)
        return self._tenants.tenant(scope).threads.entries(scope.user or "", thread_id, part)

    async def list_threads(
        self, scope: Scope, prefix: str = "", after: str = "", limit: int = 100
    ) -> Sequence[ThreadSummary]:
        """List the user's threads whose ids start with a prefix, the last changed first."""
        limits.check_thread_page(prefix, after, limit, self._limits)
        before = time_of_cursor(after)
        return self._tenants.tenant(scope).threads.page(scope.user or "", prefix, before, limit)

    async def delete_threads(self, scope: Scope, ids: Sequence[str]) -> int:
        """Delete the user's threads with all that they hold, and return how many existed."""
        limits.check_ids("thread id", ids, self._limits)
        return self._tenants.tenant(scope).threads.delete(scope.user or "", ids)

    async def feedback(self, scope: Scope, after: int = 0, limit: int = 100) -> Sequence[Feedback]:
        """Read on from a number."""
        limits.check_position(after, limit, self._limits)
        return self._tenants.tenant(scope).feedback[after:][:limit]

    async def append_feedback(self, scope: Scope, items: Sequence[Feedback]) -> int:
        """Append, and return the number of the last item."""
        limits.check_feedback(items, self._limits)
        feedback = self._tenants.made(scope).feedback
        for item in items:
            feedback.append(replace(item, number=len(feedback) + 1))
        return len(feedback)

    async def take_lease(
        self, scope: Scope, name: str, holder: str, seconds: float
    ) -> Lease | None:
        """Take a lease for so long, or renew it; None while it is somebody else's."""
        limits.check_lease(name, holder, seconds, self._limits)
        self._tenants.tenant(scope)
        return self._leases.take(scope.tenant, name, holder, seconds)

    async def release_lease(self, scope: Scope, name: str, holder: str) -> None:
        """Give a lease back, or stop waiting for it; of somebody else's nothing changes."""
        limits.check_lease(name, holder, limits=self._limits)
        self._tenants.tenant(scope)
        self._leases.release(scope.tenant, name, holder)
