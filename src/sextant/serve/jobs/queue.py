"""The durable queue of jobs: what is acknowledged is done, also by the process after this one.

Knows whose a job is, and no protocol.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from sextant.core import Sextant
from sextant.ingest.carrying import carried
from sextant.serve.jobs.bell import Bell, heard
from sextant.serve.jobs.job import Pace, pace_of
from sextant.serve.jobs.spool import Spool
from sextant.serve.jobs.workers import POLL_S, Workers
from sextant.serve.records.folder import server_folder
from sextant.server_ports import JobLedger, Presence, ServerRecords
from sextant.settings import Settings
from sextant.types.serving import Bounds, Job, Order, State, Whose


class Jobs:
    """The jobs of a server."""

    def __init__(
        self,
        sextant: Sextant,
        folder: Path,
        bounds: Bounds,
        ledger: JobLedger,
        presence: Presence,
    ) -> None:
        self._bounds, self._ledger, self._presence = bounds, ledger, presence
        self._spool = Spool(folder / "spool")
        self._bell = Bell()
        self.backups = folder / "backups"
        self.backups.mkdir(mode=0o700, exist_ok=True)
        self._workers = Workers(
            sextant, ledger, self._spool, self.backups, bounds, presence, self._bell
        )

    @asynccontextmanager
    async def receiving(self, by: Whose, size: int = 0) -> AsyncIterator[Arrival]:
        """Make room for a job with files of at most that size; what is not submitted is gone."""
        job_id = secrets.token_urlsafe(18)
        arrival = Arrival(self, job_id, self._spool.folder(job_id), size)
        try:
            await carried(self._reserve(arrival, job_id, by))
            yield arrival
        finally:
            if arrival.is_open:
                await carried(self._discard(job_id))

    async def submit(self, by: Whose, order: Order, mark: str = "") -> Job:
        """Let a job without files wait for its turn."""
        async with self.receiving(by) as arrival:
            return await arrival.submit(order, mark)

    async def get(self, by: Whose, job_id: str) -> Job:
        """Return a job of whoever asks."""
        return await self._ledger.get_job(by, job_id)

    async def list(self, by: Whose, after: str = "", limit: int = 50) -> Sequence[Job]:
        """Return jobs of whoever asks, the newest first, from after a job on."""
        return await self._ledger.list_jobs(by, after, limit)

    async def cancel(self, by: Whose, job_id: str) -> Job:
        """Let a job end; what it has done already stays done."""
        job = await self._ledger.cancel_job(by, job_id)
        if job.state == State.CANCELLED:
            await asyncio.to_thread(self._spool.remove, job_id)
        self._workers.stop(job_id)
        self._bell.ring()
        return job

    async def watch(self, by: Whose, job_id: str, version: int, seconds: float) -> Job:
        """Return a job once it is over or past a version, or as it is after so many seconds."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while True:
            pulled = self._bell.pull()
            job = await self.get(by, job_id)
            left = until - loop.time()
            if job.state.is_over or job.version > version or left <= 0:
                return job
            await heard(pulled, min(left, POLL_S))

    async def acknowledge(self, job_id: str, order: Order, size: int, mark: str) -> Job:
        """Make a job and its files durable, and let it wait for its turn."""
        await asyncio.to_thread(self._spool.settle, job_id)
        job = await self._ledger.enqueue_job(job_id, order, size, mark)
        self._bell.ring()
        return job

    async def _reserve(self, arrival: Arrival, job_id: str, by: Whose) -> None:
        owner = self._presence.name
        await self._ledger.reserve_job(job_id, by, arrival.size, owner, self._bounds)
        arrival.is_open = True
        await asyncio.to_thread(self._spool.make, job_id)

    async def _discard(self, job_id: str) -> None:
        await asyncio.to_thread(self._spool.remove, job_id)
        await self._ledger.discard_job(job_id)

    def under_way(self) -> int:
        """Return how many jobs are being done here."""
        return len(self._workers)

    async def work(self, pace: Pace) -> None:
        """Do jobs until cancelled, so many at a time."""
        await self._workers.work(pace)


class Arrival:
    """A job whose files are coming in; once it is submitted it is acknowledged."""

    def __init__(self, jobs: Jobs, job_id: str, folder: Path, size: int) -> None:
        self._jobs, self._id = jobs, job_id
        self.folder, self.size = folder, size
        self.is_open = False

    async def submit(self, order: Order, mark: str = "") -> Job:
        """Make all of it durable, and let the job wait for its turn.

        What was submitted under the same mark before is not done again.
        """
        # Whoever goes away now leaves a whole job behind, or nothing.
        return await carried(self._submitted(order, mark))

    async def _submitted(self, order: Order, mark: str) -> Job:
        job = await self._jobs.acknowledge(self._id, order, self.size, mark)
        self.is_open = job.id != self._id
        return job


@asynccontextmanager
async def open_jobs(
    sextant: Sextant,
    settings: Settings,
    records: ServerRecords,
    bounds: Bounds = Bounds(),  # noqa: B008 - frozen
) -> AsyncIterator[Jobs]:
    """Open the jobs, with their files in the server's folder, and do them until the block ends."""
    folder = server_folder(settings)
    ledger, presence = await records.open_jobs(), await records.open_presence()
    jobs = await asyncio.to_thread(Jobs, sextant, folder, bounds, ledger, presence)
    working = asyncio.create_task(jobs.work(pace_of(settings.serve)))
    try:
        yield jobs
    finally:
        working.cancel()
        with suppress(asyncio.CancelledError):
            await working
