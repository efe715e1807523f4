"""Jobs in memory, by their number. Knows no work."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sextant.server_ports import JsonFields
from sextant.stores.server_records import refusals
from sextant.types.serving import MARKED_S, Bounds, Job, Kind, Order, Progress, State, Whose

_UNKNOWN = Order(Kind.INGEST, "", "", {})
"""What a job is while its files come; nobody reads it."""


@dataclass
class _Row:
    """A job, and what is known of it to those only who do jobs."""

    number: int
    job: Job
    owner: str
    size: int
    attempts: int = 0
    not_before: float = 0.0
    is_unwanted: bool = False
    mark: str = ""

    @property
    def is_open(self) -> bool:
        return not self.job.state.is_over

    def change(self, **values: Any) -> Job:
        """Change the job, which is another version then."""
        self.job = replace(self.job, version=self.job.version + 1, **values)
        return self.job


class MemoryJobs:
    """A ledger of jobs for one process."""

    def __init__(self) -> None:
        self._rows = dict[str, _Row]()
        self._numbers = 0
        self._turns = list[str]()

    async def reserve_job(
        self, job_id: str, by: Whose, size: int, owner: str, bounds: Bounds
    ) -> None:
        """Make room for a job whose files are about to come, if there is any."""
        waiting = [row for row in self._rows.values() if row.is_open]
        own = [row for row in waiting if row.job.whose.tenant == by.tenant]
        if len(own) >= bounds.waiting:
            raise refusals.too_many_jobs(len(own))
        if sum(row.size for row in own) + size > bounds.spool_bytes:
            raise refusals.too_many_bytes()
        if len(waiting) >= bounds.waiting_in_all:
            raise refusals.too_many_jobs_in_all()
        self._numbers += 1
        kept = Whose(by.tenant, by.personas, by.user, by.caller)
        job = Job(job_id, kept, _UNKNOWN, State.RECEIVING, 1, time.time())
        self._rows[job_id] = _Row(self._numbers, job, owner, size)

    async def enqueue_job(self, job_id: str, order: Order, size: int, mark: str) -> Job:
        """Let a job wait for its turn: from here on it is acknowledged."""
        now = time.time()
        for row in self._rows.values():
            if mark and row.mark == mark and row.job.created > now - MARKED_S:
                return row.job
        row = self._rows[job_id]
        row.job = replace(row.job, state=State.QUEUED, order=order, created=now)
        row.owner, row.size, row.mark = "", size, mark
        return row.job

    async def discard_job(self, job_id: str) -> None:
        """Forget a job whose files did not all come."""
        if job_id in self._rows and self._rows[job_id].job.state == State.RECEIVING:
            del self._rows[job_id]

    async def cancel_job(self, by: Whose, job_id: str) -> Job:
        """Say that a job is to end; one that waits for its turn ends at once."""
        row = self._seen(by, job_id)
        if row is None:
            raise refusals.no_such_job()
        if row.job.state == State.QUEUED:
            row.size = 0
            return row.change(state=State.CANCELLED, ended=time.time())
        row.is_unwanted = row.is_unwanted or row.job.state == State.RUNNING
        return row.job

    async def get_job(self, by: Whose, job_id: str) -> Job:
        """Return a job of whoever asks."""
        row = self._seen(by, job_id)
        if row is None:
            raise refusals.no_such_job()
        return row.job

    async def list_jobs(self, by: Whose, after: str, limit: int) -> Sequence[Job]:
        """Return jobs of whoever asks, the newest first, from after a job on."""
        last = self._seen(by, after) if after else None
        if after and last is None:
            raise refusals.no_job_to_go_on_from()
        before = last.number if last else self._numbers + 1
        rows = [row for row in self._rows.values() if row.number < before and _is_there(row, by)]
        rows.sort(key=lambda row: row.number, reverse=True)
        return [row.job for row in rows[:limit]]

    async def claim_job(self, owner: str, of_one: int) -> Job | None:
        """Take the job whose turn it is, so that nobody else does."""
        now, running = time.time(), self._in(State.RUNNING)
        waiting = [row for row in self._in(State.QUEUED) if row.not_before <= now]
        ready = [
            row
            for row in waiting
            if self._is_first_of_its_lane(row)
            and sum(one.owner == owner for one in _of(running, row.job.whose.tenant)) < of_one
        ]
        if not ready:
            return None
        row = min(ready, key=lambda row: self._place(row, running))
        tenant = row.job.whose.tenant
        self._turns = [*(one for one in self._turns if one != tenant), tenant]
        row.owner, row.attempts = owner, row.attempts + 1
        return row.change(state=State.RUNNING, started=row.job.started or now)

    async def note_progress(self, job_id: str, progress: Progress) -> None:
        """Write down how far a job is."""
        self._rows[job_id].change(progress=progress)

    async def finish_job(
        self, job_id: str, state: State, report: JsonFields, problem: JsonFields, bounds: Bounds
    ) -> None:
        """Write down how a job ended, and forget those of its tenant that ended long ago."""
        row, now = self._rows[job_id], time.time()
        progress = replace(row.job.progress, what="")
        row.change(state=state, report=report, problem=problem, ended=now, progress=progress)
        row.owner, row.size = "", 0
        over = [one for one in _of(self._rows.values(), row.job.whose.tenant) if not one.is_open]
        over.sort(key=lambda one: one.number, reverse=True)
        for place, one in enumerate(over):
            if place >= bounds.kept or (one.job.ended or now) < now - bounds.kept_seconds:
                del self._rows[one.job.id]

    async def put_back_job(
        self, job_id: str, wait: float, bounds: Bounds, *, is_retry: bool
    ) -> None:
        """Let a job wait again for so many seconds at least; one that is to end does."""
        row = self._rows[job_id]
        if row.is_unwanted:
            await self.finish_job(job_id, State.CANCELLED, None, None, bounds)
            return
        row.owner, row.not_before, row.attempts = "", time.time() + wait, row.attempts - 1
        row.change(state=State.QUEUED, retries=row.job.retries + is_retry)

    async def list_owners(self) -> Sequence[str]:
        """Name the servers that say that they are at work on something."""
        return sorted({row.owner for row in self._rows.values() if row.is_open and row.owner})

    async def disown_jobs(self, owner: str, problem: Mapping[str, Any], bounds: Bounds) -> None:
        """Release all jobs of a server that is dead, and discard those it was receiving."""
        for row in [row for row in self._in(State.RECEIVING) if row.owner == owner]:
            del self._rows[row.job.id]
        for job_id in await self.claimed_jobs(owner):
            await self.release_job(job_id, problem, bounds)

    async def claimed_jobs(self, owner: str) -> Mapping[str, bool]:
        """Name the jobs that a server took, and whether each of them is to end."""
        own = (row for row in self._in(State.RUNNING) if row.owner == owner)
        return {row.job.id: row.is_unwanted for row in own}

    async def release_job(self, job_id: str, problem: Mapping[str, Any], bounds: Bounds) -> None:
        """Let a job that nobody is at wait again; begun too often, it fails with this problem."""
        row = self._rows[job_id]
        if row.is_unwanted:
            await self.finish_job(job_id, State.CANCELLED, None, None, bounds)
        elif row.attempts >= bounds.attempts:
            await self.finish_job(job_id, State.FAILED, None, problem, bounds)
        else:
            row.owner = ""
            row.change(state=State.QUEUED)

    async def open_jobs_among(self, job_ids: Iterable[str]) -> set[str]:
        """Return those of these jobs that are not over."""
        return {name for name in job_ids if name in self._rows and self._rows[name].is_open}

    def _in(self, state: State) -> list[_Row]:
        return [row for row in self._rows.values() if row.job.state == state]

    def _seen(self, by: Whose, job_id: str) -> _Row | None:
        row = self._rows.get(job_id)
        return row if row and _is_there(row, by) else None

    def _is_first_of_its_lane(self, row: _Row) -> bool:
        others = (
            other
            for other in (*self._in(State.RUNNING), *self._in(State.QUEUED))
            if other is not row and other.job.order.lane == row.job.order.lane
        )
        return not any(
            other.job.state == State.RUNNING or other.number < row.number for other in others
        )

    def _place(self, row: _Row, running: Sequence[_Row]) -> tuple[int, int, int]:
        """Who has least under way comes first, then who waited longest, then the oldest job."""
        tenant = row.job.whose.tenant
        turn = self._turns.index(tenant) if tenant in self._turns else -1
        return len(_of(running, tenant)), turn, row.number


def _of(rows: Iterable[_Row], tenant: str) -> list[_Row]:
    return [row for row in rows if row.job.whose.tenant == tenant]


def _is_there(row: _Row, by: Whose) -> bool:
    """Whether a job is there for whoever asks."""
    own = row.job.whose
    if own.tenant != by.tenant or row.job.state == State.RECEIVING:
        return False
    if by.sees_all:
        return True
    if by.acts_for is not None and not own.personas <= by.acts_for:
        return False
    return own.user == by.user if by.user is not None else own.caller == by.caller
