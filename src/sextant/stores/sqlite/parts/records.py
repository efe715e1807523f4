"""Counters, threads and feedback in SQLite, each in a small transaction of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sextant import limits
from sextant.stores.sqlite.household import Household
from sextant.stores.sqlite.truth import records
from sextant.types import PROMISES, Feedback, Scope, Thread


class SqliteRecords:
    """What is not knowledge, beside it in the tenant's database."""

    abilities = PROMISES["records"]

    def __init__(self, house: Household) -> None:
        self._house, self._limits = house, house.limits

    async def count(self, scope: Scope, increments: Mapping[str, int]) -> Mapping[str, int]:
        """Add to counters, all or none, and return their new values."""
        limits.check_counters(increments, self._limits)
        return await self._house.record(scope, records.add_counts, increments)

    async def counters(self, scope: Scope, names: Sequence[str]) -> Mapping[str, int]:
        """Return the counters' values; one never counted is 0."""
        limits.check_ids("counter", names, self._limits)
        nothing = dict.fromkeys(names, 0)
        return await self._house.from_truth(scope, nothing, records.read_counters, names)

    async def threads(self, scope: Scope, ids: Sequence[str]) -> Mapping[str, Thread]:
        """Return the user's threads that exist."""
        limits.check_scope(scope, self._limits)
        limits.check_ids("thread id", ids, self._limits)
        return await self._house.from_truth(scope, {}, records.read_threads, scope.user or "", ids)

    async def save_thread(self, scope: Scope, thread: Thread) -> Thread:
        """Save if nobody saved since the version that the thread carries, else raise Conflict."""
        limits.check_scope(scope, self._limits)
        limits.check_thread(thread, self._limits)
        return await self._house.record(scope, records.save_thread, scope.user or "", thread)

    async def feedback(self, scope: Scope, after: int = 0, limit: int = 100) -> Sequence[Feedback]:
        """Read on from a number."""
        limits.check_position(after, limit, self._limits)
        return await self._house.from_truth(scope, [], records.read_feedback, after, limit)

    async def append_feedback(self, scope: Scope, items: Sequence[Feedback]) -> int:
        """Append, and return the number of the last item."""
        limits.check_feedback(items, self._limits)
        return await self._house.record(scope, records.append_feedback, items)
