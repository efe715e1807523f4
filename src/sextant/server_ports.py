"""What the server asks of the place where it keeps its own records. Knows no adapter.

Several servers, also on several machines, may share one place: whatever they write there is atomic
and durable on return, and each of them is known by the name that its presence has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from sextant.types.serving import (
        Bounds,
        Job,
        KeptReply,
        Key,
        KeyedRequest,
        Order,
        Progress,
        ReplyBounds,
        State,
        Whose,
    )

JsonFields = Mapping[str, Any] | None
"""A report or a problem as JSON has it, or none."""


class KeyBook(Protocol):
    """The keys of programs. Another server's change is seen at once."""

    async def add_key(self, key: Key) -> None:
        """Keep a new key."""

    async def find_key(self, key_id: str) -> Key | None:
        """Return a key by its id, also if it no longer works."""

    async def list_keys(self) -> Sequence[Key]:
        """Return all keys, the oldest first, those that no longer work too."""

    async def revoke_key(self, key_id: str, at: float) -> Key | None:
        """Note since when a key does not work; the first time stays. None if there is no key."""

    async def note_use(self, key_id: str, at: float) -> None:
        """Note when a key was used last; an earlier time than the one known changes nothing."""


class JobDesk(Protocol):
    """Jobs as those see them who send them in. A job of somebody else does not exist."""

    async def reserve_job(
        self, job_id: str, by: Whose, size: int, owner: str, bounds: Bounds
    ) -> None:
        """Make room for a job whose files are about to come, or raise RateLimited or Overloaded."""

    async def enqueue_job(self, job_id: str, order: Order, size: int, mark: str) -> Job:
        """Let a job wait for its turn: from here on it is acknowledged.

        If one of the same mark is known for less than a day, that one is returned instead.
        """

    async def discard_job(self, job_id: str) -> None:
        """Forget a job whose files did not all come."""

    async def cancel_job(self, by: Whose, job_id: str) -> Job:
        """Say that a job is to end, or raise NotFound; one that waits for its turn ends at once."""

    async def get_job(self, by: Whose, job_id: str) -> Job:
        """Return a job of whoever asks, or raise NotFound."""

    async def list_jobs(self, by: Whose, after: str, limit: int) -> Sequence[Job]:
        """Return jobs of whoever asks, the newest first, from after a job on."""


class JobTurns(Protocol):
    """Jobs as those see them who do them."""

    async def claim_job(self, owner: str, of_one: int) -> Job | None:
        """Take the job whose turn it is, so that nobody else does; None if there is none.

        Jobs of one lane are done one after the other in the order they came. The tenant with the
        least under way comes first, then who waited longest for a turn; an owner takes so many of
        one tenant at a time and no more.
        """

    async def note_progress(self, job_id: str, progress: Progress) -> None:
        """Write down how far a job is."""

    async def finish_job(
        self, job_id: str, state: State, report: JsonFields, problem: JsonFields, bounds: Bounds
    ) -> None:
        """Write down how a job ended, and forget those of its tenant that ended long ago."""

    async def put_back_job(
        self, job_id: str, wait: float, bounds: Bounds, *, is_retry: bool
    ) -> None:
        """Let a job wait again for so many seconds at least; one that is to end does."""


class JobUpkeep(Protocol):
    """What it takes that no job is lost with a server that died."""

    async def list_owners(self) -> Sequence[str]:
        """Name the servers that say that they are at work on something."""

    async def disown_jobs(self, owner: str, problem: Mapping[str, Any], bounds: Bounds) -> None:
        """Release all jobs of a server that is dead, and discard those it was receiving."""

    async def claimed_jobs(self, owner: str) -> Mapping[str, bool]:
        """Name the jobs that a server took, and whether each of them is to end."""

    async def release_job(self, job_id: str, problem: Mapping[str, Any], bounds: Bounds) -> None:
        """Let a job that nobody is at wait again; begun too often, it fails with this problem."""

    async def open_jobs_among(self, job_ids: Iterable[str]) -> AbstractSet[str]:
        """Return those of these jobs that are not over, so that their files are needed."""


class JobLedger(JobDesk, JobTurns, JobUpkeep, Protocol):
    """All that is written down of jobs."""


class ReplyBook(Protocol):
    """Replies to requests with an idempotency key."""

    async def begin_reply(
        self, request: KeyedRequest, owner: str, bounds: ReplyBounds
    ) -> KeptReply | None:
        """Return what is known of a request, or note that the owner is at work on it: None."""

    async def take_over_reply(
        self, request: KeyedRequest, dead: str, owner: str, bounds: ReplyBounds
    ) -> KeptReply | None:
        """Begin anew what a dead server was at, unless somebody else just did."""

    async def keep_reply(self, request: KeyedRequest, reply: KeptReply) -> None:
        """Keep the reply to a request that was begun, or in place of the one before."""

    async def forget_reply(self, request: KeyedRequest) -> None:
        """Let a request be begun anew."""


class Presence(Protocol):
    """Says that this server is here, and who else is."""

    @property
    def name(self) -> str:
        """The name of this server, which no other ever had."""

    async def is_alive(self, name: str) -> bool:
        """Whether the server of that name goes on. One that was killed soon does not."""


class ServerRecords(Protocol):
    """An open place for records: each part is opened when it is first asked for."""

    async def open_keys(self) -> KeyBook:
        """Open the keys."""

    async def open_jobs(self) -> JobLedger:
        """Open the jobs."""

    async def open_replies(self) -> ReplyBook:
        """Open the replies."""

    async def open_presence(self) -> Presence:
        """Say that this server is here, until the records are closed."""

    async def close(self) -> None:
        """Let go of all parts."""
