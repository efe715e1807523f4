"""The promises of a ledger of jobs: bounds, turns, ends, and what is left by the dead."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from sextant.errors import NotFound, Overloaded, RateLimited
from sextant.server_ports import JobLedger, ServerRecords
from sextant.testing.server_records.opening import ALIVE_NO_MORE, OpenedRecords
from sextant.testing.store_suite.checks import refused
from sextant.types.serving import Bounds, Job, Kind, Order, Progress, State, Whose

ANN = Whose("acme", frozenset(), "ann", "key-1")
BOB = Whose("acme", frozenset(), "bob", "key-1")
EVE = Whose("evil", frozenset(), "ann", "key-1")
ADMIN = Whose("acme", frozenset(), None, "key-2", sees_all=True)
_BOUNDS = Bounds()
_PROBLEM = {"code": "deadly"}
_MANY = 100


class JobPromises(OpenedRecords):
    """Jobs are done once, in turn, by whoever is there, and seen by whose they are."""

    def test_a_job_goes_from_its_room_to_its_end(self, tmp_path: Path) -> None:
        """Its version grows with each step, and it comes back with all that was written."""

        async def task(records: ServerRecords) -> None:
            jobs = await records.open_jobs()
            order = Order(Kind.BACKUP, "what", "lane", {"a": [1, "é"]})
            await jobs.reserve_job("j", ANN, 10, "one", _BOUNDS)
            await refused(NotFound, jobs.get_job(ADMIN, "j"))
            queued = await jobs.enqueue_job("j", order, 10, "")
            assert (queued.order, queued.whose, queued.state) == (order, ANN, State.QUEUED)
            claimed = await jobs.claim_job("one", 1)
            assert claimed
            assert (claimed.id, claimed.state) == ("j", State.RUNNING)
            await jobs.note_progress("j", Progress(1, 3, "reading"))
            noted = await jobs.get_job(ANN, "j")
            assert noted.progress == Progress(1, 3, "reading")
            await jobs.finish_job("j", State.DONE, {"added": 1}, None, _BOUNDS)
            done = await jobs.get_job(ANN, "j")
            assert (done.state, done.report, done.problem) == (State.DONE, {"added": 1}, None)
            assert done.created <= (done.started or 0.0) <= (done.ended or 0.0)
            assert queued.version < claimed.version < noted.version < done.version
            assert await jobs.claim_job("one", 1) is None

        self.with_records(tmp_path, task)

    def test_a_job_is_there_only_for_whose_it_is(self, tmp_path: Path) -> None:
        """For its user, for who acts for its persona, and for who sees all of the tenant."""

        async def task(records: ServerRecords) -> None:
            jobs = await records.open_jobs()
            await submit(jobs, "j", replace(ANN, personas=frozenset({"hr"})))
            acting = replace(ANN, acts_for=frozenset({"hr", "eng"}))
            for one in (ANN, acting, ADMIN):
                assert (await jobs.get_job(one, "j")).id == "j"
                assert [job.id for job in await jobs.list_jobs(one, "", 10)] == ["j"]
            for other in (BOB, EVE, replace(ANN, acts_for=frozenset({"eng"}))):
                await refused(NotFound, jobs.get_job(other, "j"))
                await refused(NotFound, jobs.cancel_job(other, "j"))
                await refused(NotFound, jobs.list_jobs(other, "j", 10))
                assert not await jobs.list_jobs(other, "", 10)

        self.with_records(tmp_path, task)

    def test_a_list_goes_on_after_a_job_the_newest_first(self, tmp_path: Path) -> None:
        """Page by page."""

        async def task(records: ServerRecords) -> None:
            jobs = await records.open_jobs()
            for name in "abcde":
                await submit(jobs, name, ANN)
            assert [job.id for job in await jobs.list_jobs(ANN, "", 2)] == ["e", "d"]
            assert [job.id for job in await jobs.list_jobs(ANN, "d", 9)] == ["c", "b", "a"]

        self.with_records(tmp_path, task)

    def test_more_than_may_wait_is_refused(self, tmp_path: Path) -> None:
        """Of a tenant in number and bytes, and of all; what is over or gone takes no room."""
        bounds = Bounds(waiting=2, waiting_in_all=3, spool_bytes=100)

        async def task(records: ServerRecords) -> None:
            jobs = await records.open_jobs()
            await jobs.reserve_job("a", ANN, 60, "one", bounds)
            await refused(RateLimited, jobs.reserve_job("b", BOB, 60, "one", bounds))
            await jobs.reserve_job("b", BOB, 40, "one", bounds)
            await refused(RateLimited, jobs.reserve_job("c", ANN, 0, "one", bounds))
            await jobs.reserve_job("e", EVE, 60, "one", bounds)
            third = replace(ANN, tenant="third")
            await refused(Overloaded, jobs.reserve_job("t", third, 0, "one", bounds))
            await jobs.discard_job("b")
            await jobs.reserve_job("t", third, 0, "one", bounds)
            assert await jobs.open_jobs_among(["a", "b", "t", "never"]) == {"a", "t"}

        self.with_records(tmp_path, task)

    def test_the_same_mark_is_the_same_job(self, tmp_path: Path) -> None:
        """No mark is none."""

        async def task(records: ServerRecords) -> None:
            jobs = await records.open_jobs()
            first = await submit(jobs, "a", ANN, mark="m")
            assert (await submit(jobs, "b", ANN, mark="m")).id == first.id
            assert (await submit(jobs, "c", ANN)).id == "c"
            assert (await submit(jobs, "d", ANN)).id == "d"

        self.with_records(tmp_path, task)

    def test_jobs_of_one_lane_are_done_one_after_the_other(self, tmp_path: Path) -> None:
        """In the order they came, also if the first has to wait again."""

        async def task(records: ServerRecords) -> None:
            jobs = await records.open_jobs()
            for name in "ab":
                await submit(jobs, name, ANN, lane="same")
            await submit(jobs, "c", ANN, lane="other")
            assert await claims(jobs, "one") == ["a", "c"]
            await jobs.put_back_job("a", 3_600.0, _BOUNDS, is_retry=True)
            assert await claims(jobs, "one") == []
            assert (await jobs.get_job(ANN, "a")).retries == 1
            await jobs.cancel_job(ANN, "a")
            assert await claims(jobs, "one") == ["b"]

        self.with_records(tmp_path, task)

    def test_tenants_take_turns(self, tmp_path: Path) -> None:
        """Who has least under way first, then who waited longest; so many of one at a time."""

        async def task(records: ServerRecords) -> None:
            jobs = await records.open_jobs()
            for at in range(4):
                await submit(jobs, f"a{at}", ANN)
            for at in range(2):
                await submit(jobs, f"e{at}", EVE)
            assert await claims(jobs, "one", of_one=2) == ["a0", "e0", "a1", "e1"]
            assert await claims(jobs, "two", of_one=1) == ["a2"]
            for name in ("a0", "a1", "a2", "e0", "e1"):
                await jobs.finish_job(name, State.DONE, None, None, _BOUNDS)
            await submit(jobs, "e2", EVE)
            assert await claims(jobs, "one", of_one=1) == ["e2", "a3"]

        self.with_records(tmp_path, task)

    def test_many_who_claim_at_once_get_each_job_once(self, tmp_path: Path) -> None:
        """Within one server; of two another test says so."""

        async def task(records: ServerRecords) -> None:
            jobs = await records.open_jobs()
            for at in range(6):
                await submit(jobs, f"j{at}", ANN)
            claimed = await asyncio.gather(*(jobs.claim_job(f"o{at}", _MANY) for at in range(9)))
            assert sorted(job.id for job in claimed if job) == [f"j{at}" for at in range(6)]

        self.with_records(tmp_path, task)

    def test_a_job_that_runs_is_to_end_once_it_is_cancelled(self, tmp_path: Path) -> None:
        """Whoever did it hears so, and it does not wait again."""

        async def task(records: ServerRecords) -> None:
            jobs = await records.open_jobs()
            await submit(jobs, "a", ANN)
            assert await claims(jobs, "one") == ["a"]
            assert await jobs.claimed_jobs("one") == {"a": False}
            assert (await jobs.cancel_job(ANN, "a")).state == State.RUNNING
            assert await jobs.claimed_jobs("one") == {"a": True}
            await jobs.put_back_job("a", 0.0, _BOUNDS, is_retry=False)
            assert (await jobs.get_job(ANN, "a")).state == State.CANCELLED
            await submit(jobs, "b", ANN)
            assert (await jobs.cancel_job(ANN, "b")).state == State.CANCELLED
            assert not await jobs.open_jobs_among(["a", "b"])

        self.with_records(tmp_path, task)

    def test_what_a_dead_server_was_at_waits_again(self, tmp_path: Path) -> None:
        """What it was receiving is gone; what too many died of fails; what is unwanted ends."""

        async def task(records: ServerRecords) -> None:
            jobs = await records.open_jobs()
            await jobs.reserve_job("half", ANN, 0, ALIVE_NO_MORE, _BOUNDS)
            for name in ("a", "b"):
                await submit(jobs, name, ANN)
            assert await claims(jobs, ALIVE_NO_MORE) == ["a", "b"]
            await jobs.cancel_job(ANN, "b")
            assert list(await jobs.list_owners()) == [ALIVE_NO_MORE]
            await jobs.disown_jobs(ALIVE_NO_MORE, _PROBLEM, Bounds(attempts=2))
            assert not await jobs.list_owners()
            assert not await jobs.open_jobs_among(["half"])
            assert (await jobs.get_job(ANN, "b")).state == State.CANCELLED
            assert await claims(jobs, ALIVE_NO_MORE) == ["a"]
            await jobs.release_job("a", _PROBLEM, Bounds(attempts=2))
            failed = await jobs.get_job(ANN, "a")
            assert (failed.state, failed.problem) == (State.FAILED, _PROBLEM)

        self.with_records(tmp_path, task)

    def test_only_the_last_jobs_of_a_tenant_are_kept(self, tmp_path: Path) -> None:
        """Of those that are over, and for so long."""

        async def task(records: ServerRecords) -> None:
            jobs, few = await records.open_jobs(), Bounds(kept=2)
            await submit(jobs, "waits", ANN, lane="z")
            for name in "abc":
                await submit(jobs, name, ANN)
                await jobs.finish_job(name, State.DONE, None, None, few)
            assert [job.id for job in await jobs.list_jobs(ANN, "", 9)] == ["c", "b", "waits"]
            await submit(jobs, "d", ANN)
            await jobs.finish_job("d", State.DONE, None, None, Bounds(kept_seconds=-1.0))
            assert [job.id for job in await jobs.list_jobs(ANN, "", 9)] == ["waits"]

        self.with_records(tmp_path, task)

    def test_a_job_of_one_server_is_done_by_another(self, tmp_path: Path) -> None:
        """Once and no more; what the first was at is taken over when it is gone."""

        async def task(one: ServerRecords, other: ServerRecords) -> None:
            mine, theirs = await one.open_jobs(), await other.open_jobs()
            presence, away = await one.open_presence(), await other.open_presence()
            for at in range(4):
                await submit(mine, f"j{at}", ANN)
            tries = [(mine, presence.name), (theirs, away.name)] * 3
            claimed = await asyncio.gather(*(jobs.claim_job(who, _MANY) for jobs, who in tries))
            assert sorted(job.id for job in claimed if job) == ["j0", "j1", "j2", "j3"]
            lost = set(await theirs.claimed_jobs(away.name))
            await other.close()
            for owner in await mine.list_owners():
                if not await presence.is_alive(owner):
                    await mine.disown_jobs(owner, _PROBLEM, _BOUNDS)
            assert set(await claims(mine, presence.name)) == lost

        self.with_two(tmp_path, task)

    def test_jobs_last(self, tmp_path: Path) -> None:
        """What is acknowledged is done after a restart."""
        self.need("lasts")

        async def write(records: ServerRecords) -> None:
            await submit(await records.open_jobs(), "a", ANN)

        async def read(records: ServerRecords) -> None:
            assert await claims(await records.open_jobs(), "one") == ["a"]

        self.with_records(tmp_path, write)
        self.with_records(tmp_path, read)


async def submit(jobs: JobLedger, job_id: str, by: Whose, lane: str = "", mark: str = "") -> Job:
    """Let a job wait for its turn, by default in a lane of its own."""
    await jobs.reserve_job(job_id, by, 1, "one", _BOUNDS)
    job = await jobs.enqueue_job(job_id, Order(Kind.INGEST, "x", lane or job_id, {}), 1, mark)
    if job.id != job_id:
        await jobs.discard_job(job_id)
    return job


async def claims(jobs: JobLedger, owner: str, of_one: int = _MANY) -> list[str]:
    """Name the jobs that somebody can take, in the order of their turns."""
    found: list[str] = []
    while job := await jobs.claim_job(owner, of_one):
        found.append(job.id)
    return found
