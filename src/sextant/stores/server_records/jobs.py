"""The jobs in a SQLite file: each call is one transaction of the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sextant.server_ports import JsonFields
from sextant.stores.server_records import ledger
from sextant.stores.server_records.book import Book
from sextant.types.serving import Bounds, Job, Order, Progress, State, Whose


class SqliteJobs:
    """A ledger of jobs that several processes may share."""

    def __init__(self, book: Book) -> None:
        self._book = book

    async def reserve_job(
        self, job_id: str, by: Whose, size: int, owner: str, bounds: Bounds
    ) -> None:
        """Make room for a job whose files are about to come, if there is any."""
        await self._book.write(ledger.reserve, job_id, by, size, owner, bounds)

    async def enqueue_job(self, job_id: str, order: Order, size: int, mark: str) -> Job:
        """Let a job wait for its turn: from here on it is acknowledged."""
        return await self._book.write(ledger.enqueue, job_id, order, size, mark)

    async def discard_job(self, job_id: str) -> None:
        """Forget a job whose files did not all come."""
        await self._book.write(ledger.discard, job_id)

    async def cancel_job(self, by: Whose, job_id: str) -> Job:
        """Say that a job is to end; one that waits for its turn ends at once."""
        return await self._book.write(ledger.unwant, by, job_id)

    async def get_job(self, by: Whose, job_id: str) -> Job:
        """Return a job of whoever asks."""
        return await self._book.read(ledger.seen, by, job_id)

    async def list_jobs(self, by: Whose, after: str, limit: int) -> Sequence[Job]:
        """Return jobs of whoever asks, the newest first, from after a job on."""
        return await self._book.read(ledger.listed, by, after, limit)

    async def claim_job(self, owner: str, of_one: int) -> Job | None:
        """Take the job whose turn it is, so that nobody else does."""
        return await self._book.write(ledger.claim, owner, of_one)

    async def note_progress(self, job_id: str, progress: Progress) -> None:
        """Write down how far a job is."""
        await self._book.write(ledger.note, job_id, progress)

    async def finish_job(
        self, job_id: str, state: State, report: JsonFields, problem: JsonFields, bounds: Bounds
    ) -> None:
        """Write down how a job ended, and forget those of its tenant that ended long ago."""
        await self._book.write(ledger.finish, job_id, state, report, problem, bounds)

    async def put_back_job(
        self, job_id: str, wait: float, bounds: Bounds, *, is_retry: bool
    ) -> None:
        """Let a job wait again for so many seconds at least; one that is to end does."""
        await self._book.write(ledger.put_back, job_id, wait, bounds, is_retry=is_retry)

    async def list_owners(self) -> Sequence[str]:
        """Name the servers that say that they are at work on something."""
        return await self._book.read(ledger.owners)

    async def disown_jobs(self, owner: str, problem: Mapping[str, Any], bounds: Bounds) -> None:
        """Release all jobs of a server that is dead, and discard those it was receiving."""
        await self._book.write(ledger.disown, owner, problem, bounds)

    async def claimed_jobs(self, owner: str) -> Mapping[str, bool]:
        """Name the jobs that a server took, and whether each of them is to end."""
        return await self._book.read(ledger.claimed, owner)

    async def release_job(self, job_id: str, problem: Mapping[str, Any], bounds: Bounds) -> None:
        """Let a job that nobody is at wait again; begun too often, it fails with this problem."""
        await self._book.write(ledger.let_go, job_id, problem, bounds)

    async def open_jobs_among(self, job_ids: Iterable[str]) -> set[str]:
        """Return those of these jobs that are not over."""
        return await self._book.read(ledger.with_files, job_ids)
