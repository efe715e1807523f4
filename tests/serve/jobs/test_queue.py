"""Jobs: what is acknowledged is done once, in order, by whoever is there; within bounds."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sextant.errors import InvalidInput, NotFound, Overloaded, RateLimited, StoreBusy
from sextant.serve.jobs import Bounds, Job, Kind, Order, State
from sextant.serve.records.folder import server_folder
from sextant.stores.server_records import ledger
from sextant.stores.server_records.book import Book
from sextant.stores.server_records.presence import FilePresence
from sextant.stores.server_records.sqlite import JOBS as FILE
from sextant.types import OPERATOR, Scope
from tests.serve.jobs.working import (
    ADMIN,
    ANN,
    BOB,
    EVE,
    SOON,
    ended,
    in_loop,
    jobs_of,
    left_meanwhile,
    open_watched,
    refused,
    send,
    settings_in,
)

ALL = Scope("acme", roles=frozenset({OPERATOR}))


def spooled(folder: Path) -> list[str]:
    return [path.name for path in (server_folder(settings_in(folder)) / "spool").iterdir()]


@in_loop
async def test_a_job_is_done_and_its_files_go(tmp_path: Path) -> None:
    async with open_watched(tmp_path) as watched, jobs_of(watched, tmp_path) as jobs:
        job = await ended(jobs, ANN, await send(jobs, ANN, "guide.md"))
        assert job.state == State.DONE
        assert job.report
        assert job.report["added"] == 1
        [document] = await watched.sextant.store.truth.documents(ALL)
        assert document.id == "upload/guide.md"
    assert spooled(tmp_path) == []


@in_loop
async def test_what_waited_is_done_after_a_restart(tmp_path: Path) -> None:
    async with open_watched(tmp_path, is_open=False) as watched:
        async with jobs_of(watched, tmp_path) as jobs:
            running = await send(jobs, ANN, "a.md")
            waiting = await send(jobs, ANN, "b.md")
            await watched.started.wait()
        assert len(spooled(tmp_path)) == 2
        watched.gate.set()
        async with jobs_of(watched, tmp_path) as jobs:
            for job in (running, waiting):
                assert (await ended(jobs, ANN, job)).state == State.DONE


@in_loop
async def test_jobs_of_one_source_are_done_in_the_order_they_came(tmp_path: Path) -> None:
    async with open_watched(tmp_path) as watched, jobs_of(watched, tmp_path, workers=4) as jobs:
        sent = [await send(jobs, ANN, text=f"Version {n} of Alpha.") for n in range(6)]
        for job in sent:
            assert (await ended(jobs, ANN, job)).state == State.DONE
        units = await watched.sextant.store.truth.units(ALL, ["upload/a.md"])
        assert units["upload/a.md"].chunks[0].text == "Version 5 of Alpha."


@in_loop
async def test_two_processes_on_one_folder_do_no_job_twice(tmp_path: Path) -> None:
    async with (
        open_watched(tmp_path) as watched,
        jobs_of(watched, tmp_path, workers=2) as one,
        jobs_of(watched, tmp_path, workers=2) as other,
    ):
        sent = [await send(one, ANN, f"{n}.md", source=f"s{n}") for n in range(8)]
        for job in sent:
            assert (await ended(other, ANN, job)).state == State.DONE
        assert sorted(watched.begun) == sorted(("acme", f"s{n}") for n in range(8))


@in_loop
async def test_tenants_take_turns(tmp_path: Path) -> None:
    async with (
        open_watched(tmp_path, is_open=False) as watched,
        jobs_of(watched, tmp_path) as jobs,
    ):
        many = [await send(jobs, ANN, f"{n}.md", source=f"s{n}") for n in range(4)]
        await watched.started.wait()
        few = await send(jobs, EVE)
        watched.gate.set()
        for job in many:
            await ended(jobs, ANN, job)
        await ended(jobs, EVE, few)
        assert [tenant for tenant, _ in watched.begun] == ["acme", "evil", "acme", "acme", "acme"]


@in_loop
async def test_where_others_may_come_a_tenant_leaves_one_worker_free(tmp_path: Path) -> None:
    async with (
        open_watched(tmp_path, is_open=False) as watched,
        jobs_of(watched, tmp_path, workers=2, auth="api-key") as jobs,
    ):
        many = [await send(jobs, ANN, f"{n}.md", source=f"s{n}") for n in range(3)]
        await watched.each.acquire()
        few = await send(jobs, EVE)
        async with asyncio.timeout(SOON):
            await watched.each.acquire()
        assert [tenant for tenant, _ in watched.begun] == ["acme", "evil"]
        watched.gate.set()
        for job in many:
            assert (await ended(jobs, ANN, job)).state == State.DONE
        assert (await ended(jobs, EVE, few)).state == State.DONE


@in_loop
async def test_whoever_is_alone_has_every_worker(tmp_path: Path) -> None:
    async with (
        open_watched(tmp_path, is_open=False) as watched,
        jobs_of(watched, tmp_path, workers=2) as jobs,
    ):
        for n in range(2):
            await send(jobs, ANN, f"{n}.md", source=f"s{n}")
            async with asyncio.timeout(SOON):
                await watched.each.acquire()


@in_loop
async def test_a_job_that_takes_too_long_fails_and_the_next_one_is_done(tmp_path: Path) -> None:
    async with (
        open_watched(tmp_path, is_open=False) as watched,
        jobs_of(watched, tmp_path, job_minutes=0.001) as jobs,
    ):
        job = await ended(jobs, ANN, await send(jobs, ANN))
        assert job.state == State.FAILED
        assert job.problem
        assert (job.problem["code"], job.problem["status"]) == ("too_much", 422)
        assert "serve.job_minutes" in job.problem["hint"]
    assert spooled(tmp_path) == []
    async with open_watched(tmp_path) as watched, jobs_of(watched, tmp_path) as jobs:
        assert (await ended(jobs, ANN, await send(jobs, ANN))).state == State.DONE


@in_loop
async def test_a_job_that_waits_is_cancelled_at_once(tmp_path: Path) -> None:
    async with (
        open_watched(tmp_path, is_open=False) as watched,
        jobs_of(watched, tmp_path) as jobs,
    ):
        first, second = await send(jobs, ANN, "a.md"), await send(jobs, ANN, "b.md")
        await watched.started.wait()
        assert (await jobs.cancel(ANN, second.id)).state == State.CANCELLED
        assert spooled(tmp_path) == [first.id]


@in_loop
async def test_a_job_that_runs_is_cancelled_also_from_another_process(tmp_path: Path) -> None:
    async with (
        open_watched(tmp_path, is_open=False) as watched,
        jobs_of(watched, tmp_path) as one,
    ):
        job = await send(one, ANN)
        await watched.started.wait()
        async with jobs_of(watched, tmp_path) as other:
            assert (await other.cancel(ANN, job.id)).state == State.RUNNING
            assert (await ended(other, ANN, job)).state == State.CANCELLED
    assert spooled(tmp_path) == []


@in_loop
async def test_jobs_of_others_are_not_there(tmp_path: Path) -> None:
    async with open_watched(tmp_path) as watched, jobs_of(watched, tmp_path) as jobs:
        job = await send(jobs, ANN)
        for other in (BOB, EVE):
            await refused(NotFound, jobs.get(other, job.id))
            await refused(NotFound, jobs.cancel(other, job.id))
            assert not await jobs.list(other)
        assert [one.id for one in await jobs.list(ADMIN)] == [job.id]
        assert (await jobs.get(ADMIN, job.id)).id == job.id


@in_loop
async def test_a_list_goes_on_after_a_job_the_newest_first(tmp_path: Path) -> None:
    async with (
        open_watched(tmp_path, is_open=False) as watched,
        jobs_of(watched, tmp_path) as jobs,
    ):
        sent = [(await send(jobs, ANN, f"{n}.md")).id for n in range(5)]
        page = await jobs.list(ANN, limit=2)
        assert [job.id for job in page] == [sent[4], sent[3]]
        assert [job.id for job in await jobs.list(ANN, page[-1].id)] == [sent[2], sent[1], sent[0]]


@in_loop
async def test_a_tenant_with_too_much_waiting_is_told_so(tmp_path: Path) -> None:
    bounds = Bounds(waiting=2, waiting_in_all=3)
    async with (
        open_watched(tmp_path, is_open=False) as watched,
        jobs_of(watched, tmp_path, bounds=bounds) as jobs,
    ):
        for name in ("a.md", "b.md"):
            await send(jobs, ANN, name)
        await refused(RateLimited, send(jobs, BOB, "c.md"))
        await send(jobs, EVE)
        third = replace(ANN, tenant="third", user="x", caller="k")
        error = await refused(Overloaded, send(jobs, third))
        assert not isinstance(error, RateLimited)
        assert len(spooled(tmp_path)) == 3


@in_loop
async def test_a_tenant_with_too_many_bytes_waiting_is_told_so(tmp_path: Path) -> None:
    async with (
        open_watched(tmp_path, is_open=False) as watched,
        jobs_of(watched, tmp_path, bounds=Bounds(spool_bytes=100)) as jobs,
    ):
        await send(jobs, ANN, text="a" * 60)
        await refused(RateLimited, send(jobs, ANN, "b.md", text="a" * 60))
        await send(jobs, EVE, text="a" * 60)


@in_loop
async def test_only_the_last_jobs_are_kept(tmp_path: Path) -> None:
    async with (
        open_watched(tmp_path) as watched,
        jobs_of(watched, tmp_path, bounds=Bounds(kept=2)) as jobs,
    ):
        sent = [await send(jobs, ANN, f"{n}.md") for n in range(4)]
        await ended(jobs, ANN, sent[-1])
        assert [job.id for job in await jobs.list(ANN)] == [sent[3].id, sent[2].id]


@in_loop
async def test_what_never_arrived_whole_leaves_nothing(tmp_path: Path) -> None:
    async with open_watched(tmp_path) as watched, jobs_of(watched, tmp_path) as jobs:
        with pytest.raises(InvalidInput):
            async with jobs.receiving(ANN, 10):
                raise InvalidInput("The line broke.", "Send it again.")
        assert not await jobs.list(ADMIN)
    assert spooled(tmp_path) == []


@in_loop
async def test_who_leaves_while_a_place_is_made_takes_it_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, goes_on, reserve = threading.Event(), threading.Event(), ledger.reserve

    def slow(*args: Any) -> None:
        reserve(*args)
        made.set()
        goes_on.wait(SOON)

    async with (
        open_watched(tmp_path) as watched,
        jobs_of(watched, tmp_path, bounds=Bounds(waiting=1)) as jobs,
    ):
        monkeypatch.setattr(ledger, "reserve", slow)
        await left_meanwhile(send(jobs, ANN), made, goes_on)
        assert spooled(tmp_path) == []
        assert (await ended(jobs, ANN, await send(jobs, ANN))).state == State.DONE


@in_loop
async def test_who_leaves_while_a_job_cannot_be_acknowledged_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, goes_on = threading.Event(), threading.Event()

    def fail(*_: Any) -> None:
        begun.set()
        goes_on.wait(SOON)
        raise StoreBusy("Busy.", "Try again.")

    async with (
        open_watched(tmp_path) as watched,
        jobs_of(watched, tmp_path, bounds=Bounds(waiting=1)) as jobs,
    ):
        with monkeypatch.context() as patched:
            patched.setattr(ledger, "enqueue", fail)
            await left_meanwhile(send(jobs, ANN), begun, goes_on)
        assert spooled(tmp_path) == []
        assert (await ended(jobs, ANN, await send(jobs, ANN))).state == State.DONE


@in_loop
async def test_a_store_that_is_busy_is_tried_again(tmp_path: Path) -> None:
    bounds = Bounds(retry_seconds=0.0)
    async with (
        open_watched(tmp_path) as watched,
        jobs_of(watched, tmp_path, bounds=bounds) as jobs,
    ):
        watched.failures += [StoreBusy("Busy.", "Try again."), StoreBusy("Busy.", "Try again.")]
        assert (await ended(jobs, ANN, await send(jobs, ANN))).state == State.DONE
        assert len(watched.begun) == 3


@pytest.mark.parametrize(
    ("failure", "code"),
    [(StoreBusy("Busy.", "Try again."), "store_busy"), (ZeroDivisionError(), "internal")],
)
@in_loop
async def test_a_job_that_fails_says_why_and_no_more(
    tmp_path: Path, failure: Exception, code: str
) -> None:
    bounds = Bounds(retries=0)
    async with (
        open_watched(tmp_path) as watched,
        jobs_of(watched, tmp_path, bounds=bounds) as jobs,
    ):
        watched.failures.append(failure)
        job = await ended(jobs, ANN, await send(jobs, ANN))
        assert job.state == State.FAILED
        assert job.problem
        assert job.problem["code"] == code
        assert "Zero" not in str(job.problem)
        assert (await ended(jobs, ANN, await send(jobs, ANN))).state == State.DONE


@in_loop
async def test_what_a_dead_process_was_at_is_taken_over_by_a_living_one(tmp_path: Path) -> None:
    async with open_watched(tmp_path) as watched, jobs_of(watched, tmp_path) as jobs:
        dead = await _left_by_a_dead_process(tmp_path)
        # Nobody rings for what others leave: it is found at the next look around.
        assert (await ended(jobs, ANN, dead)).state == State.DONE


@in_loop
async def test_a_job_that_many_processes_died_of_is_given_up(tmp_path: Path) -> None:
    dead = await _left_by_a_dead_process(tmp_path)
    async with (
        open_watched(tmp_path) as watched,
        jobs_of(watched, tmp_path, bounds=Bounds(attempts=1)) as jobs,
    ):
        job = await ended(jobs, ANN, dead)
        assert job.state == State.FAILED
        assert not watched.begun


@in_loop
async def test_a_place_that_a_dead_process_held_is_free_again(tmp_path: Path) -> None:
    folder = server_folder(settings_in(tmp_path))
    book = Book(folder / FILE, ledger.SCHEMA)
    await book.write(ledger.reserve, "half", ANN, 10, "nobody", Bounds())
    await book.close()
    async with (
        open_watched(tmp_path) as watched,
        jobs_of(watched, tmp_path, bounds=Bounds(waiting=1)) as jobs,
    ):
        async with asyncio.timeout(SOON):
            while True:
                try:
                    await send(jobs, ANN)
                except RateLimited:
                    await asyncio.sleep(0)
                else:
                    break


@in_loop
async def test_the_books_are_for_their_owner_only(tmp_path: Path) -> None:
    async with open_watched(tmp_path) as watched, jobs_of(watched, tmp_path) as jobs:
        watched.gate.clear()
        job = await send(jobs, ANN)
        folder = server_folder(settings_in(tmp_path))
        paths = [folder / FILE, *(folder / "spool" / job.id).rglob("*")]
        assert {path.stat().st_mode & 0o077 for path in paths} == {0}
        watched.gate.set()
        await ended(jobs, ANN, job)


@in_loop
async def test_a_process_is_alive_until_it_goes(tmp_path: Path) -> None:
    one, other = FilePresence(tmp_path / "alive"), FilePresence(tmp_path / "alive")
    assert await other.is_alive(one.name)
    assert await one.is_alive(one.name)
    one.close()
    assert not await other.is_alive(one.name)
    assert not await other.is_alive("nobody")
    other.close()


@in_loop
async def test_a_book_of_somebody_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "book.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE jobs (x)")
    with pytest.raises(Exception, match="records failed"):
        Book(path, ledger.SCHEMA)


async def _left_by_a_dead_process(folder: Path) -> Job:
    """Return a job that was running when its process was killed."""
    async with open_watched(folder) as watched, jobs_of(watched, folder) as jobs:
        watched.gate.clear()
        job = await send(jobs, ANN)
    book = Book(server_folder(settings_in(folder)) / FILE, ledger.SCHEMA)
    claimed = await book.write(ledger.claim, "0123456789abcdef")
    await book.close()
    assert claimed
    assert claimed.order == Order(Kind.INGEST, "a.md", "acme:upload", job.order.spec)
    return claimed
