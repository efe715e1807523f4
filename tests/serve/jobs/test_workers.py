"""Who does the jobs: nothing that was begun stays so when nobody is at it any more."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from sextant.errors import StoreBusy
from sextant.serve.jobs import Bounds, Job, Jobs, State
from sextant.serve.records.folder import server_folder
from sextant.stores.server_records import ledger
from sextant.stores.server_records.book import Book
from sextant.stores.server_records.sqlite import JOBS as FILE
from tests.serve.jobs.working import (
    ANN,
    SOON,
    Watched,
    ended,
    in_loop,
    jobs_of,
    open_watched,
    send,
    settings_in,
)


class _Slow:
    """Lets something be done only once somebody says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        self.begun, self.goes_on = threading.Event(), threading.Event()
        self._act = getattr(ledger, name)
        monkeypatch.setattr(ledger, name, self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.begun.set()
        self.goes_on.wait(SOON)
        return self._act(*args, **kwargs)


@in_loop
async def test_a_job_that_is_cancelled_while_it_is_about_to_be_tried_again_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        open_watched(tmp_path, is_open=False) as watched,
        jobs_of(watched, tmp_path, bounds=Bounds(retry_seconds=0.0)) as jobs,
    ):
        watched.failures.append(StoreBusy("Busy.", "Try again."))
        job = await send(jobs, ANN)
        await watched.started.wait()
        note, listed = _Slow(monkeypatch, "note"), _Slow(monkeypatch, "listed")
        watched.gate.set()
        await asyncio.to_thread(note.begun.wait, SOON)
        # The book is written in order: this is noted, then unwanted, and what is put back comes
        # after a list that takes long.
        cancelling = asyncio.create_task(jobs.cancel(ANN, job.id))
        listing = asyncio.create_task(jobs.list(ANN))
        await asyncio.sleep(0)
        note.goes_on.set()
        assert (await cancelling).state == State.RUNNING
        listed.goes_on.set()
        await listing
        assert (await ended(jobs, ANN, job)).state == State.CANCELLED
        assert len(watched.begun) == 1
        assert (await ended(jobs, ANN, await send(jobs, ANN, "b.md"))).state == State.DONE


@in_loop
async def test_a_claimed_job_that_nobody_is_at_waits_again(tmp_path: Path) -> None:
    async with (
        open_watched(tmp_path, is_open=False) as watched,
        jobs_of(watched, tmp_path) as jobs,
    ):
        first, stray = await _with_a_stray(tmp_path, watched, jobs)
        watched.gate.set()
        assert (await ended(jobs, ANN, first)).state == State.DONE
        assert (await ended(jobs, ANN, stray)).state == State.DONE


@in_loop
async def test_a_claimed_job_that_nobody_is_at_can_be_cancelled(tmp_path: Path) -> None:
    async with (
        open_watched(tmp_path, is_open=False) as watched,
        jobs_of(watched, tmp_path) as jobs,
    ):
        _, stray = await _with_a_stray(tmp_path, watched, jobs)
        await jobs.cancel(ANN, stray.id)
        assert (await ended(jobs, ANN, stray)).state == State.CANCELLED


async def _with_a_stray(folder: Path, watched: Watched, jobs: Jobs) -> tuple[Job, Job]:
    """Return a job that is done here, and one that is claimed in the same name and is not."""
    first = await send(jobs, ANN, "a.md")
    await watched.started.wait()
    await send(jobs, ANN, "b.md", source="other")
    async with _rows(folder) as book:
        [owner] = await book.read(ledger.owners)
        stray = await book.write(ledger.claim, owner, 2)
    assert stray
    return first, stray


@asynccontextmanager
async def _rows(folder: Path) -> AsyncIterator[Book]:
    book = Book(server_folder(settings_in(folder)) / FILE, ledger.SCHEMA)
    try:
        yield book
    finally:
        await book.close()
