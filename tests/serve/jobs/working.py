"""Jobs on a small store, and a core whose ingest can be held up, counted and made to fail."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, cast

import pytest

from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.errors import SextantError
from sextant.ingest.flow import AS_USUAL, Options
from sextant.ingest.report import Emit, Report, ignore
from sextant.serve.jobs import Bounds, Job, Jobs, Kind, Order, Whose, open_jobs, spool
from sextant.serve.jobs.work import Step, packed
from sextant.serve.records.opening import server_records
from sextant.settings import ServeSettings, Settings
from sextant.types import Scope

P = ParamSpec("P")
ANN = Whose("acme", frozenset(), "ann", "key-1")
BOB = Whose("acme", frozenset(), "bob", "key-1")
EVE = Whose("evil", frozenset(), "ann", "key-1")
ADMIN = Whose("acme", frozenset(), None, "key-2", sees_all=True)
SOON = 30.0
"""More seconds than anything here takes."""


def in_loop(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Return a test that runs in a loop of its own."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(test(*args, **kwargs))

    return run


@dataclass
class Watched:
    """Hands on to the core; tells of which tenant and what each ingest was, in their order."""

    sextant: Sextant
    begun: list[tuple[str, str]] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    failures: list[Exception] = field(default_factory=list)
    started: asyncio.Event = field(default_factory=asyncio.Event)
    each: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.sextant, name)

    async def ingest(
        self,
        scope: Scope,
        sources: Sequence[str],
        options: Options = AS_USUAL,
        emit: Emit = ignore,
    ) -> Report:
        self.begun.append((scope.tenant, options.name))
        self.started.set()
        self.each.release()
        await self.gate.wait()
        if self.failures:
            raise self.failures.pop(0)
        return await self.sextant.ingest(scope, sources, options, emit)


def settings_in(folder: Path, workers: int = 1, **more: Any) -> Settings:
    serve = ServeSettings(jobs=workers, **more)
    return Settings(store=f"sqlite:{folder}/s", embedder="tiny:", serve=serve)


@asynccontextmanager
async def open_watched(folder: Path, *, is_open: bool = True) -> AsyncIterator[Watched]:
    async with await open_sextant(settings_in(folder)) as sextant:
        watched = Watched(sextant)
        if is_open:
            watched.gate.set()
        yield watched


@asynccontextmanager
async def jobs_of(
    watched: Watched, folder: Path, workers: int = 1, bounds: Bounds | None = None, **more: Any
) -> AsyncIterator[Jobs]:
    core, settings = cast(Sextant, watched), settings_in(folder, workers, **more)
    async with (
        server_records(settings) as records,
        open_jobs(core, settings, records, bounds or Bounds()) as jobs,
    ):
        yield jobs


async def send(
    jobs: Jobs, by: Whose, name: str = "a.md", text: str = "Alpha is here.", source: str = "upload"
) -> Job:
    """Submit a file."""
    async with jobs.receiving(by, len(text)) as arrival:
        spool.save(arrival.folder / "files", spool.tidy_name(name), text.encode())
        step = Step(Options(name=source, is_passing=True), "files")
        order = Order(Kind.INGEST, name, f"{by.tenant}:{source}", packed([step]))
        return await arrival.submit(order)


async def ended(jobs: Jobs, by: Whose, job: Job) -> Job:
    """Wait for the end of a job."""
    async with asyncio.timeout(SOON):
        while not job.state.is_over:
            job = await jobs.watch(by, job.id, job.version, SOON)
    return job


async def left_meanwhile(
    work: Coroutine[Any, Any, object], begun: threading.Event, goes_on: threading.Event
) -> None:
    """Leave work that a thread has begun, which goes on only then."""
    leaving = asyncio.create_task(work)
    await asyncio.to_thread(begun.wait, SOON)
    leaving.cancel()
    asyncio.get_running_loop().call_soon(goes_on.set)
    with pytest.raises(asyncio.CancelledError):
        await leaving


async def refused(kind: type[SextantError], awaitable: Any) -> SextantError:
    """Return the error of something that is refused."""
    try:
        await awaitable
    except kind as error:
        return error
    raise AssertionError(f"There was no {kind.__name__}.")
