"""A job with what is known of it to those only who do jobs, and how it changes. Keeps nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

from sextant.server_ports import JsonFields
from sextant.types.serving import Bounds, Job, Kind, Order, Progress, State, Whose

UNKNOWN_ORDER = Order(Kind.INGEST, "", "", {})
"""What a job is to do while its files come; nobody reads it."""


@dataclass
class JobRow:
    """A job, by the number under which it came; its home is the server that received it."""

    number: int
    job: Job
    owner: str
    size: int
    attempts: int = 0
    not_before: float = 0.0
    is_unwanted: bool = False
    mark: str = ""
    home: str = ""

    @property
    def is_open(self) -> bool:
        """Whether something is still to happen."""
        return not self.job.state.is_over

    @property
    def tenant(self) -> str:
        """Whose the job is."""
        return self.job.whose.tenant

    def change(self, **values: Any) -> Job:
        """Change the job, which is another version then."""
        self.job = replace(self.job, version=self.job.version + 1, **values)
        return self.job

    def enqueue(self, order: Order, size: int, mark: str, now: float) -> None:
        """Let the job wait for its turn, now that its files are there."""
        self.job = replace(self.job, state=State.QUEUED, order=order, created=now)
        self.owner, self.size, self.mark = "", size, mark

    def claim(self, owner: str, now: float) -> None:
        """Let somebody begin the job."""
        self.owner, self.attempts = owner, self.attempts + 1
        self.change(state=State.RUNNING, started=self.job.started or now)

    def cancel(self, now: float) -> None:
        """Say that the job is to end; one that waits for its turn ends at once."""
        if self.job.state == State.QUEUED:
            self.size = 0
            self.change(state=State.CANCELLED, ended=now)
        self.is_unwanted = self.is_unwanted or self.job.state == State.RUNNING

    def finish(self, state: State, report: JsonFields, problem: JsonFields, now: float) -> None:
        """Write down how the job ended."""
        progress = replace(self.job.progress, what="")
        self.change(state=state, report=report, problem=problem, ended=now, progress=progress)
        self.owner, self.size = "", 0

    def put_back(self, wait: float, now: float, *, is_retry: bool) -> None:
        """Let the job wait again; one that is to end does."""
        if self.is_unwanted:
            self.finish(State.CANCELLED, None, None, now)
            return
        self.owner, self.not_before, self.attempts = "", now + wait, self.attempts - 1
        self.change(state=State.QUEUED, retries=self.job.retries + is_retry)

    def release(self, problem: Mapping[str, Any], attempts: int, now: float) -> None:
        """Let a job that nobody is at wait again; begun too often, it fails with this problem."""
        if self.is_unwanted:
            self.finish(State.CANCELLED, None, None, now)
        elif self.attempts >= attempts:
            self.finish(State.FAILED, None, problem, now)
        else:
            self.owner = ""
            self.change(state=State.QUEUED)

    def is_visible_to(self, by: Whose) -> bool:
        """Whether the job is there for whoever asks."""
        own = self.job.whose
        if own.tenant != by.tenant or self.job.state == State.RECEIVING:
            return False
        if by.sees_all:
            return True
        if by.acts_for is not None and not own.personas <= by.acts_for:
            return False
        return own.user == by.user if by.user is not None else own.caller == by.caller


def new_row(number: int, job_id: str, by: Whose, size: int, owner: str, now: float) -> JobRow:
    """Return a job whose files are about to come."""
    whose = Whose(by.tenant, by.personas, by.user, by.caller)
    job = Job(job_id, whose, UNKNOWN_ORDER, State.RECEIVING, 1, now, progress=Progress())
    return JobRow(number, job, owner, size, home=owner)


def pick_next(
    rows: Iterable[JobRow],
    turns: Sequence[str],
    owner: str,
    of_one: int,
    now: float,
    others: AbstractSet[str] = frozenset(),
) -> JobRow | None:
    """Return the job whose turn it is, of rows that hold all open jobs.

    Turns are the tenants that had one, the last at the end. Who has least under way comes first,
    then who waited longest, then the oldest job. Jobs whose home is one of the others are left to
    these.
    """
    begun = [row for row in rows if row.job.state in (State.RUNNING, State.QUEUED)]
    running = [row for row in begun if row.job.state == State.RUNNING]
    first = _first_of_lanes(begun)

    def place(row: JobRow) -> tuple[int, int, int]:
        turn = turns.index(row.tenant) if row.tenant in turns else -1
        return len(_of(running, row.tenant)), turn, row.number

    ready = [
        row
        for row in begun
        if row.job.state == State.QUEUED
        and row.not_before <= now
        and row.home not in others
        and first[row.job.order.lane] is row
        and sum(one.owner == owner for one in _of(running, row.tenant)) < of_one
    ]
    return min(ready, key=place, default=None)


def jobs_to_forget(
    over: Iterable[tuple[int, str, float | None]], bounds: Bounds, now: float
) -> list[str]:
    """Return which of one tenant's jobs that are over are too many, or ended too long ago.

    Each is given by its number, its id and when it ended.
    """
    oldest = now - bounds.kept_seconds
    return [
        job_id
        for place, (_, job_id, ended) in enumerate(sorted(over, reverse=True))
        if place >= bounds.kept or (ended or now) < oldest
    ]


def _first_of_lanes(begun: Iterable[JobRow]) -> dict[str, JobRow]:
    """Return which job of each lane comes first: one that runs, or else the oldest."""
    first: dict[str, JobRow] = {}
    for row in sorted(begun, key=lambda row: (row.job.state != State.RUNNING, row.number)):
        first.setdefault(row.job.order.lane, row)
    return first


def _of(rows: Iterable[JobRow], tenant: str) -> list[JobRow]:
    return [row for row in rows if row.tenant == tenant]
