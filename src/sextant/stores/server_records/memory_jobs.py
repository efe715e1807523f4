"""Jobs in memory, by their number. Knows no work."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sextant.server_ports import JsonFields
from sextant.stores.server_records import refusals
from sextant.stores.server_records.job_rows import JobRow, jobs_to_forget, new_row, pick_next
from sextant.types.serving import MARKED_S, Bounds, Job, Order, Progress, State, Whose


class MemoryJobs:
    """A ledger of jobs for one process."""

    def __init__(self) -> None:
        self._rows = dict[str, JobRow]()
        self._numbers = 0
        self._turns = list[str]()

    async def reserve_job(
        self, job_id: str, by: Whose, size: int, owner: str, bounds: Bounds
    ) -> None:
        """Make room for a job whose files are about to come, if there is any."""
        waiting = [row for row in self._rows.values() if row.is_open]
        own = [row.size for row in waiting if row.tenant == by.tenant]
        refusals.check_room(len(own), sum(own), len(waiting), size, bounds)
        self._numbers += 1
        self._rows[job_id] = new_row(self._numbers, job_id, by, size, owner, time.time())

    async def enqueue_job(self, job_id: str, order: Order, size: int, mark: str) -> Job:
        """Let a job wait for its turn: from here on it is acknowledged."""
        now = time.time()
        for row in self._rows.values():
            if mark and row.mark == mark and row.job.created > now - MARKED_S:
                return row.job
        row = self._rows[job_id]
        row.enqueue(order, size, mark, now)
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
        row.cancel(time.time())
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
        rows = [row for row in self._rows.values() if row.number < before and row.is_visible_to(by)]
        rows.sort(key=lambda row: row.number, reverse=True)
        return [row.job for row in rows[:limit]]

    async def claim_job(self, owner: str, of_one: int) -> Job | None:
        """Take the job whose turn it is, so that nobody else does."""
        now = time.time()
        row = pick_next(self._rows.values(), self._turns, owner, of_one, now)
        if row is None:
            return None
        self._turns = [*(one for one in self._turns if one != row.tenant), row.tenant]
        row.claim(owner, now)
        return row.job

    async def note_progress(self, job_id: str, progress: Progress) -> None:
        """Write down how far a job is."""
        self._rows[job_id].change(progress=progress)

    async def finish_job(
        self, job_id: str, state: State, report: JsonFields, problem: JsonFields, bounds: Bounds
    ) -> None:
        """Write down how a job ended, and forget those of its tenant that ended long ago."""
        row = self._rows[job_id]
        row.finish(state, report, problem, time.time())
        self._forget_old(row, bounds)

    async def put_back_job(
        self, job_id: str, wait: float, bounds: Bounds, *, is_retry: bool
    ) -> None:
        """Let a job wait again for so many seconds at least; one that is to end does."""
        row = self._rows[job_id]
        row.put_back(wait, time.time(), is_retry=is_retry)
        self._forget_old(row, bounds)

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
        row.release(problem, bounds.attempts, time.time())
        self._forget_old(row, bounds)

    async def open_jobs_among(self, job_ids: Iterable[str]) -> set[str]:
        """Return those of these jobs that are not over."""
        return {name for name in job_ids if name in self._rows and self._rows[name].is_open}

    def _in(self, state: State) -> list[JobRow]:
        return [row for row in self._rows.values() if row.job.state == state]

    def _seen(self, by: Whose, job_id: str) -> JobRow | None:
        row = self._rows.get(job_id)
        return row if row and row.is_visible_to(by) else None

    def _forget_old(self, row: JobRow, bounds: Bounds) -> None:
        """Forget jobs of the same tenant, if this one is over."""
        if row.is_open:
            return
        over = [
            (one.number, one.job.id, one.job.ended)
            for one in self._rows.values()
            if one.tenant == row.tenant and not one.is_open
        ]
        for job_id in jobs_to_forget(over, bounds, time.time()):
            del self._rows[job_id]
