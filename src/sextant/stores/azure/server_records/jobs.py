"""The jobs of all servers: one item each; what concerns several of them goes over the board.

The files of a job are in the folder of the server that received it, so that one does it while it
is here; after that, whoever is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from sextant.errors import SextantError
from sextant.server_ports import JsonFields
from sextant.stores.azure.cosmos.containers import Containers, Item, Kind
from sextant.stores.azure.cosmos.records.changing import change_item
from sextant.stores.azure.server_records.board import Board, Decision
from sextant.stores.azure.server_records.job_items import JOB, item_of, job_item_id, row_of
from sextant.stores.azure.server_records.partition import SERVERS, find_records
from sextant.stores.azure.server_records.presence import living_servers
from sextant.stores.server_records import refusals
from sextant.stores.server_records.job_rows import JobRow, jobs_to_forget, new_row, pick_next
from sextant.types.serving import MARKED_S, Bounds, Job, Order, Progress, State, Whose

_OPEN = "c.status IN ('receiving', 'queued', 'running')"
_OVER = "c.of = @of AND c.status IN ('done', 'failed', 'cancelled')"


class CosmosJobs:
    """A ledger of jobs that all servers share."""

    def __init__(self, containers: Containers) -> None:
        self._containers, self._board = containers, Board(containers)

    async def reserve_job(
        self, job_id: str, by: Whose, size: int, owner: str, bounds: Bounds
    ) -> None:
        """Make room for a job whose files are about to come, if there is any.

        It is written before the others are counted: two that come at once may both be refused for
        the last place, and are never both taken.
        """
        row = new_row(await self._board.next_number(), job_id, by, size, owner, self._now())
        await self._containers.create(Kind.RECORDS, item_of(row))
        try:
            found = await self._find(_OPEN, fields="c.id, c.of, c.size")
            others = [one for one in found if one["id"] != job_item_id(job_id)]
            own = [one["size"] for one in others if one["of"] == by.tenant]
            refusals.check_room(len(own), sum(own), len(others), size, bounds)
        except SextantError:
            await self._containers.delete(Kind.RECORDS, SERVERS, job_item_id(job_id))
            raise

    async def enqueue_job(self, job_id: str, order: Order, size: int, mark: str) -> Job:
        """Let a job wait for its turn: from here on it is acknowledged."""
        known: list[Item] = []

        async def decide(_: list[str]) -> Decision | None:
            now = self._now()
            where = "c.mark = @mark AND c.created > @since"
            values = {"mark": mark, "since": now - MARKED_S}
            known[:] = await self._find(where, values) if mark else []
            item = await self._read(job_id)
            if known or item is None or item["status"] != State.RECEIVING:
                return None
            return Decision(_changed(item, lambda row: row.enqueue(order, size, mark, now)))

        item = await self._board.change(decide) or next(iter(known), None)
        if item is None:
            raise refusals.no_such_job()
        return row_of(item).job

    async def discard_job(self, job_id: str) -> None:
        """Forget a job whose files did not all come."""

        def decide(item: Item | None) -> Item | None:
            # One that was just acknowledged is another item, and stays.
            if item is None or item["status"] != State.RECEIVING:
                return None
            over = {"status": State.CANCELLED.value, "ended": self._now(), "size": 0}
            return item | over | {"isDiscarded": True}

        item_id = job_item_id(job_id)
        item = await change_item(self._containers, SERVERS, item_id, decide)
        if item and item.get("isDiscarded"):
            await self._containers.delete(Kind.RECORDS, SERVERS, item_id)

    async def cancel_job(self, by: Whose, job_id: str) -> Job:
        """Say that a job is to end; one that waits for its turn ends at once."""
        await self.get_job(by, job_id)
        return (await self._change(job_id, lambda row: row.cancel(self._now()))).job

    async def get_job(self, by: Whose, job_id: str) -> Job:
        """Return a job of whoever asks."""
        row = await self._seen(by, job_id)
        if row is None:
            raise refusals.no_such_job()
        return row.job

    async def list_jobs(self, by: Whose, after: str, limit: int) -> Sequence[Job]:
        """Return jobs of whoever asks, the newest first, from after a job on."""
        last = await self._seen(by, after) if after else None
        if after and last is None:
            raise refusals.no_job_to_go_on_from()
        found = map(row_of, await self._find("c.of = @of", {"of": by.tenant}))
        rows = [
            row
            for row in found
            if row.is_visible_to(by) and (last is None or row.number < last.number)
        ]
        rows.sort(key=lambda row: row.number, reverse=True)
        return [row.job for row in rows[:limit]]

    async def claim_job(self, owner: str, of_one: int) -> Job | None:
        """Take the job whose turn it is, so that nobody else does."""

        async def decide(turns: list[str]) -> Decision | None:
            found = await self._find("c.status IN ('queued', 'running')")
            if not any(item["status"] == State.QUEUED for item in found):
                return None
            others = await living_servers(self._containers) - {owner}
            items = {item["jobId"]: item for item in found}
            now = self._now()
            row = pick_next(map(row_of, found), turns, owner, of_one, now, others)
            if row is None:
                return None
            item = _changed(items[row.job.id], lambda one: one.claim(owner, now))
            return Decision(item, row.tenant)

        item = await self._board.change(decide)
        return row_of(item).job if item else None

    async def note_progress(self, job_id: str, progress: Progress) -> None:
        """Write down how far a job is."""
        await self._change(job_id, lambda row: row.change(progress=progress))

    async def finish_job(
        self, job_id: str, state: State, report: JsonFields, problem: JsonFields, bounds: Bounds
    ) -> None:
        """Write down how a job ended, and forget those of its tenant that ended long ago."""
        await self._end(job_id, bounds, lambda row: row.finish(state, report, problem, self._now()))

    async def put_back_job(
        self, job_id: str, wait: float, bounds: Bounds, *, is_retry: bool
    ) -> None:
        """Let a job wait again for so many seconds at least; one that is to end does."""
        await self._end(
            job_id, bounds, lambda row: row.put_back(wait, self._now(), is_retry=is_retry)
        )

    async def list_owners(self) -> Sequence[str]:
        """Name the servers that say that they are at work on something."""
        found = await self._find(f"{_OPEN} AND c.owner != ''", fields="c.owner")
        return sorted({item["owner"] for item in found})

    async def disown_jobs(self, owner: str, problem: Mapping[str, Any], bounds: Bounds) -> None:
        """Release all jobs of a server that is dead, and discard those it was receiving."""
        where = "c.status = 'receiving' AND c.owner = @owner"
        for item in await self._find(where, {"owner": owner}):
            await self.discard_job(item["jobId"])

        def release(row: JobRow) -> None:
            if row.owner == owner:  # nobody else has released it meanwhile
                row.release(problem, bounds.attempts, self._now())

        for job_id in await self.claimed_jobs(owner):
            await self._end(job_id, bounds, release)

    async def claimed_jobs(self, owner: str) -> Mapping[str, bool]:
        """Name the jobs that a server took, and whether each of them is to end."""
        own = await self._find("c.status = 'running' AND c.owner = @owner", {"owner": owner})
        return {item["jobId"]: item["document"]["isUnwanted"] for item in own}

    async def release_job(self, job_id: str, problem: Mapping[str, Any], bounds: Bounds) -> None:
        """Let a job that nobody is at wait again; begun too often, it fails with this problem."""
        await self._end(
            job_id, bounds, lambda row: row.release(problem, bounds.attempts, self._now())
        )

    async def open_jobs_among(self, job_ids: Iterable[str]) -> set[str]:
        """Return those of these jobs that are not over."""
        found = await self._find(_OPEN, fields="c.jobId")
        return {item["jobId"] for item in found} & set(job_ids)

    async def _end(self, job_id: str, bounds: Bounds, act: Callable[[JobRow], object]) -> None:
        """Change a job; if it is over then, forget those of its tenant that ended long ago."""
        row = await self._change(job_id, act)
        if row.is_open:
            return
        with suppress(SextantError):  # the job has ended; the next one that does forgets them
            over = await self._find(_OVER, {"of": row.tenant}, fields="c.number, c.jobId, c.ended")
            ended = ((one["number"], one["jobId"], one["ended"]) for one in over)
            await self._containers.run_all(
                self._containers.delete(Kind.RECORDS, SERVERS, job_item_id(one))
                for one in jobs_to_forget(ended, bounds, self._now())
            )

    async def _change(self, job_id: str, act: Callable[[JobRow], object]) -> JobRow:
        """Change a job by itself, over its etag."""

        def decide(item: Item | None) -> Item | None:
            new = _changed(item, act) if item else None
            return None if new == item else new

        item = await change_item(self._containers, SERVERS, job_item_id(job_id), decide)
        if item is None:
            raise refusals.no_such_job()
        return row_of(item)

    async def _seen(self, by: Whose, job_id: str) -> JobRow | None:
        item = await self._read(job_id)
        row = row_of(item) if item else None
        return row if row and row.is_visible_to(by) else None

    async def _read(self, job_id: str) -> Item | None:
        return await self._containers.read(Kind.RECORDS, SERVERS, job_item_id(job_id))

    async def _find(
        self, where: str, parameters: Item | None = None, *, fields: str = "*"
    ) -> list[Any]:
        return await find_records(self._containers, JOB, where, parameters, fields=fields)

    def _now(self) -> float:
        return self._containers.clock()


def _changed(item: Item, act: Callable[[JobRow], object]) -> Item:
    row = row_of(item)
    act(row)
    return item | item_of(row)
