"""Who does the jobs of a server: claims them, stops them, writes down how they went.

Several processes may share a folder: a job belongs to whoever claimed it for as long as that
process lives. Knows rows and work, and nobody who asks.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import ParamSpec

from sextant.core import Sextant
from sextant.errors import SextantError, TooMuch
from sextant.ingest.carrying import carried
from sextant.ingest.threads import in_thread
from sextant.serve.http.problem import problem_of
from sextant.serve.jobs.bell import Bell, heard
from sextant.serve.jobs.job import Pace
from sextant.serve.jobs.spool import Spool
from sextant.serve.jobs.work import PASSING, Outcome, Tell, back_up, take_in
from sextant.serve.records.logs import log_tenant
from sextant.server_ports import JobLedger, JsonFields, Presence
from sextant.types.serving import Bounds, Job, Kind, Progress, State

P = ParamSpec("P")
POLL_S = 1.0
_TELL_S = 0.25
_DEADLY = SextantError("The job took its process with it again and again.", "Send less at once.")
_UNKNOWN = SextantError("The job failed for a reason that is not known.", "Send it again.")
_log = logging.getLogger(__name__)


class Workers:
    """Does so many jobs at a time, and each for so long."""

    def __init__(
        self,
        sextant: Sextant,
        ledger: JobLedger,
        spool: Spool,
        backups: Path,
        bounds: Bounds,
        presence: Presence,
        bell: Bell,
    ) -> None:
        self._sextant, self._ledger, self._spool, self._backups = sextant, ledger, spool, backups
        self._bounds, self._presence, self._bell = bounds, presence, bell
        self._pace = Pace()
        self._under_way: dict[str, asyncio.Task[None]] = {}
        self._unwanted: set[str] = set()
        self._is_closing = False

    def __len__(self) -> int:
        return len(self._under_way)

    async def work(self, pace: Pace) -> None:
        """Do jobs until cancelled; what is under way then waits for who comes next."""
        self._pace = pace
        try:
            while True:
                pulled = self._bell.pull()
                await self._look_around()
                await heard(pulled, POLL_S)
        finally:
            self._is_closing = True
            tasks = list(self._under_way.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def stop(self, job_id: str) -> None:
        """End a job, if it is under way here."""
        if job_id in self._under_way and job_id not in self._unwanted:
            self._unwanted.add(job_id)
            self._under_way[job_id].cancel()

    async def _tidy(self) -> None:
        """Remove the files that the dead left of jobs that are over, or that never were."""
        if names := await in_thread(self._spool.names):
            needed = await self._ledger.open_jobs_among(names)
            for name in set(names) - needed:
                await in_thread(self._spool.remove, name)

    async def _look_around(self) -> None:
        """Let go of what nobody is at, stop what is unwanted, and begin what can be."""
        try:
            await self._look_after_the_begun()
            while len(self._under_way) < self._pace.at_once:
                name, of_one = self._presence.name, self._pace.of_one
                job = await self._ledger.claim_job(name, of_one)
                if job is None:
                    await self._tidy()
                    return
                self._begin(job)
        except Exception as error:  # a full disk, say: what waits is looked after again soon
            _log.warning("The jobs cannot be looked after now: %s", error)

    async def _look_after_the_begun(self) -> None:
        """Let wait again what a dead process was at, or what this one is not at any more."""
        problem = problem_of(_DEADLY).fields()
        for owner in await self._ledger.list_owners():
            if not await self._presence.is_alive(owner):
                await self._ledger.disown_jobs(owner, problem, self._bounds)
        here = set(self._under_way)
        claimed = await self._ledger.claimed_jobs(self._presence.name)
        for job_id, is_unwanted in claimed.items():
            if job_id not in here:
                await self._ledger.release_job(job_id, problem, self._bounds)
            elif is_unwanted:
                self.stop(job_id)

    def _begin(self, job: Job) -> None:
        task = asyncio.create_task(self._do(job))
        self._under_way[job.id] = task
        task.add_done_callback(lambda _: self._end(job.id))
        self._bell.ring()

    def _end(self, job_id: str) -> None:
        del self._under_way[job_id]
        self._unwanted.discard(job_id)
        self._bell.ring()

    async def _do(self, job: Job) -> None:
        """Do a job, and write down how it ended; one that is only interrupted waits again."""
        log_tenant(job.id, job.whose.tenant)
        try:
            outcome = await self._in_time(job)
        except asyncio.CancelledError:
            if job.id in self._unwanted:
                await self._over(job, State.CANCELLED)
            else:
                await self._again(job, 0.0, is_retry=False)
        except Exception as error:  # a job may fail as it likes, the others go on
            await self._failed(job, error)
        else:
            await self._over(job, State.FAILED if outcome.problem else State.DONE, outcome)

    async def _failed(self, job: Job, error: Exception) -> None:
        if isinstance(error, PASSING) and job.retries < self._bounds.retries:
            wait = self._bounds.retry_seconds * 2.0**job.retries
            await self._again(job, wait, is_retry=True)
            return
        if not isinstance(error, SextantError):
            _log.error("A job failed.", exc_info=error)
            error = _UNKNOWN
        await self._over(job, State.FAILED, Outcome({}, problem_of(error).fields()))

    async def _in_time(self, job: Job) -> Outcome:
        """Do a job, unless it takes too long."""
        limit = asyncio.timeout(60.0 * self._pace.minutes)
        try:
            async with limit:
                return await self._run_with_progress(job)
        except TimeoutError:
            if not limit.expired():
                raise
            raise TooMuch(
                f"The job took longer than {self._pace.minutes:g} minutes and was stopped.",
                "Send less at once, or raise serve.job_minutes; what was taken in stays.",
            ) from None

    async def _run_with_progress(self, job: Job) -> Outcome:
        """Do a job while somebody writes down how far it is."""
        progress = job.progress

        def tell(heard: Progress) -> None:
            nonlocal progress
            progress = heard

        async def write_down() -> None:
            written = job.progress
            while True:
                await asyncio.sleep(_TELL_S)
                if progress != written:
                    written = progress
                    await self._note(job, written)

        writing = asyncio.create_task(write_down())
        try:
            return await self._done(job, tell)
        finally:
            writing.cancel()
            with suppress(asyncio.CancelledError):
                await writing
            await self._note(job, progress)

    async def _note(self, job: Job, progress: Progress) -> None:
        with suppress(SextantError):
            await self._ledger.note_progress(job.id, progress)
            self._bell.ring()

    async def _done(self, job: Job, tell: Tell) -> Outcome:
        files = self._spool.folder(job.id)
        if job.order.kind == Kind.BACKUP:
            return await back_up(self._sextant, job, files, self._backups, tell)
        return await take_in(self._sextant, job, files, tell)

    async def _again(self, job: Job, wait: float, *, is_retry: bool) -> None:
        """Let a job wait for another turn, unless it is unwanted by now."""
        put_back = self._ledger.put_back_job
        await carried(self._surely(put_back, job.id, wait, self._bounds, is_retry=is_retry))

    async def _over(self, job: Job, state: State, outcome: Outcome | None = None) -> None:
        report = outcome.report if outcome and outcome.report else None
        problem = outcome.problem if outcome else None
        await carried(self._ended(job, state, report, problem))

    async def _ended(self, job: Job, state: State, report: JsonFields, problem: JsonFields) -> None:
        """Write down the end of a job, and only then let go of its files."""
        finish = self._ledger.finish_job
        if await self._surely(finish, job.id, state, report, problem, self._bounds):
            await in_thread(self._spool.remove, job.id)

    async def _surely(
        self,
        act: Callable[P, Awaitable[None]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> bool:
        """Write something down, however long it takes; what cannot be is left to who comes next."""
        while True:
            try:
                await act(*args, **kwargs)
            except SextantError as error:
                _log.warning("How a job went cannot be written down now: %s", error)
                if self._is_closing:
                    return False
                await asyncio.sleep(POLL_S)
            else:
                return True
