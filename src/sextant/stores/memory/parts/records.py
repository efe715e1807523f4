"""Counters, threads and feedback in dicts and a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sextant import limits
from sextant.stores import refusals
from sextant.stores.memory.tenants import Tenants
from sextant.types import PROMISES, Feedback, Scope, StoreAbility, Thread


class MemoryRecords:
    """What is not knowledge, until the process ends."""

    abilities = PROMISES["records"] - {StoreAbility.DURABLE}

    def __init__(self, tenants: Tenants) -> None:
        self._tenants, self._limits = tenants, tenants.settings.limits

    async def count(self, scope: Scope, increments: Mapping[str, int]) -> Mapping[str, int]:
        """Add to counters, all or none, and return their new values."""
        limits.check_counters(increments, self._limits)
        counters = self._tenants.made(scope).counters
        totals = {name: counters.get(name, 0) + step for name, step in increments.items()}
        limits.check_totals(totals)
        counters |= totals
        return totals

    async def counters(self, scope: Scope, names: Sequence[str]) -> Mapping[str, int]:
        """Return the counters' values; one never counted is 0."""
        limits.check_ids("counter", names, self._limits)
        return {name: self._tenants.tenant(scope).counters.get(name, 0) for name in names}

    async def threads(self, scope: Scope, ids: Sequence[str]) -> Mapping[str, Thread]:
        """Return the user's threads that exist."""
        limits.check_ids("thread id", ids, self._limits)
        own = self._tenants.tenant(scope).threads.get(scope.user or "", {})
        return {name: own[name] for name in ids if name in own}

    async def save_thread(self, scope: Scope, thread: Thread) -> Thread:
        """Save if nobody saved since the version that the thread carries, else raise Conflict."""
        limits.check_thread(thread, self._limits)
        own = self._tenants.made(scope).threads[scope.user or ""]
        known = own.get(thread.id, Thread(thread.id))
        if known.version != thread.version:
            raise refusals.thread_moved_on(known, thread)
        own[thread.id] = replace(thread, version=thread.version + 1)
        return own[thread.id]

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
