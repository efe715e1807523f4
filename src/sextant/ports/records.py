"""Records: what is not knowledge but must last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sextant.types import (
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


class Recall(Protocol):
    """What was counted, kept and said; nothing of it can be changed here."""

    async def counters(self, scope: Scope, names: Sequence[str]) -> Mapping[str, int]:
        """Return the counters' values; one never counted is 0."""

    async def threads(self, scope: Scope, ids: Sequence[str]) -> Mapping[str, Thread]:
        """Return the user's threads that exist."""

    async def feedback(self, scope: Scope, after: int = 0, limit: int = 100) -> Sequence[Feedback]:
        """Read on from a number."""


class Threads(Protocol):
    """What users keep for later: threads of entries, each with a title and a state.

    A thread belongs to one user of one tenant; for everybody else it does not exist. Its version
    counts every save and every append, so a state that was saved over a version was made with all
    entries up to then in sight.
    """

    async def save_thread(self, scope: Scope, thread: Thread) -> Thread:
        """Save state and title if the thread still has the version it carries, or raise Conflict.

        Entries stay as they are.
        """

    async def append_entries(
        self, scope: Scope, appends: Sequence[Append]
    ) -> Sequence[ThreadSummary]:
        """Append to threads, all or none, and return how each of them stands then.

        A thread that has not the version which is asked for raises Conflict.
        """

    async def read_entries(
        self, scope: Scope, thread_id: str, part: EntryRange
    ) -> Sequence[ThreadEntry]:
        """Return a page of the user's thread by number; one that does not exist has no entries."""

    async def list_threads(
        self, scope: Scope, prefix: str = "", after: str = "", limit: int = 100
    ) -> Sequence[ThreadSummary]:
        """List the user's threads whose ids start with a prefix, the last changed first.

        A page starts after the cursor of a summary. A thread that changes meanwhile moves to the
        front; no other is left out or comes twice.
        """

    async def delete_threads(self, scope: Scope, ids: Sequence[str]) -> int:
        """Delete the user's threads with all that they hold, and return how many existed."""


class Leases(Protocol):
    """Rights that one at a time has, so that processes which share a store take turns.

    They are an agreement among those who ask for them: a write needs none.
    """

    async def take_lease(
        self, scope: Scope, name: str, holder: str, seconds: float
    ) -> Lease | None:
        """Take a lease for so long, or renew it; None while it is somebody else's.

        Those who were refused get it in the order in which they first asked, if they ask again
        before their own seconds are over. A lease that is not renewed in time is free; where the
        store can tell that the holder's process is gone, it is free at once.
        """

    async def release_lease(self, scope: Scope, name: str, holder: str) -> None:
        """Give a lease back, or stop waiting for it; of somebody else's nothing changes."""


class Records(Recall, Threads, Leases, Protocol):
    """Counters, threads and feedback."""

    @property
    def abilities(self) -> frozenset[StoreAbility]:
        """What is promised of that which engines differ in."""

    async def count(self, scope: Scope, increments: Mapping[str, int]) -> Mapping[str, int]:
        """Add to counters, all or none, and return their new values."""

    async def set_counter(self, scope: Scope, name: str, value: int, over: int) -> bool:
        """Set a counter if it still has the value that it is set over; say whether it had."""

    async def append_feedback(self, scope: Scope, items: Sequence[Feedback]) -> int:
        """Append, and return the number of the last item."""
