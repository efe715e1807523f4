"""Records: what is not knowledge but must last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sextant.types import Feedback, Lease, Scope, Thread


class Recall(Protocol):
    """What was counted, kept and said; nothing of it can be changed here."""

    async def counters(self, scope: Scope, names: Sequence[str]) -> Mapping[str, int]:
        """Return the counters' values; one never counted is 0."""

    async def threads(self, scope: Scope, ids: Sequence[str]) -> Mapping[str, Thread]:
        """Return the user's threads that exist."""

    async def feedback(self, scope: Scope, after: int = 0, limit: int = 100) -> Sequence[Feedback]:
        """Read on from a number."""


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


class Records(Recall, Leases, Protocol):
    """Counters, threads and feedback."""

    async def count(self, scope: Scope, increments: Mapping[str, int]) -> Mapping[str, int]:
        """Add to counters, all or none, and return their new values."""

    async def save_thread(self, scope: Scope, thread: Thread) -> Thread:
        """Save if nobody saved since the version that the thread carries, else raise Conflict."""

    async def append_feedback(self, scope: Scope, items: Sequence[Feedback]) -> int:
        """Append, and return the number of the last item."""
