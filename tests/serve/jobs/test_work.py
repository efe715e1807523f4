"""What a job does step by step: what passes is tried again, and a refusal says of what it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from sextant.errors import Conflict, ModelTimeout, Overloaded, SextantError, StoreBusy
from sextant.ingest.flow import Options
from sextant.ingest.read.data.sent import ENDING
from sextant.ingest.read.data.sent import packed as packed_document
from sextant.serve.jobs import Bounds, Job, Jobs, Kind, Order, State, spool
from sextant.serve.jobs.work import Step, packed
from sextant.types import OPERATOR, Scope
from tests.ingest.embedding.slow import BROKEN, Watched, with_embedder
from tests.serve.jobs.working import ANN, ended, in_loop, jobs_of, open_watched, send

ALL = Scope("acme", roles=frozenset({OPERATOR}))
_NOWHERE = "http://127.0.0.1:1/"
AT_ONCE = Bounds(retry_seconds=0.0)


async def _sent(jobs: Jobs, *batches: tuple[str, ...]) -> Job:
    """Submit a job that takes in some documents, batch by batch."""
    async with jobs.receiving(ANN, 100) as arrival:
        steps = []
        for at, batch in enumerate(batches):
            steps.append(Step(Options(name="upload", is_passing=True, ids=batch), f"files-{at}"))
            for name in batch:
                data = packed_document(name, f"# {name}\n\nAlpha is here.", {})
                spool.save(arrival.folder / f"files-{at}", f"{name}{ENDING}", data)
        return await arrival.submit(Order(Kind.INGEST, "x", "acme:upload", packed(steps)))


@pytest.mark.parametrize(
    "failure",
    [
        StoreBusy("Busy.", "Try again."),
        Overloaded("Too much.", "Try again."),
        ModelTimeout("Slow.", "Try again."),
    ],
)
@in_loop
async def test_a_step_that_may_go_well_later_is_tried_again(
    tmp_path: Path, failure: SextantError
) -> None:
    async with (
        open_watched(tmp_path) as watched,
        jobs_of(watched, tmp_path, bounds=AT_ONCE) as jobs,
    ):
        watched.failures.append(failure)
        job = await ended(jobs, ANN, await _sent(jobs, ("a", "b"), ("c",)))
        assert (job.state, job.retries) == (State.DONE, 1)
        assert job.report
        assert (job.report["documentCount"], job.report["failedCount"]) == (3, 0)
        found = await watched.sextant.store.truth.documents(ALL)
        assert [document.id for document in found] == ["a", "b", "c"]


@in_loop
async def test_a_step_that_never_goes_well_fails_the_job(tmp_path: Path) -> None:
    bounds = Bounds(retries=2, retry_seconds=0.0)
    async with (
        open_watched(tmp_path) as watched,
        jobs_of(watched, tmp_path, bounds=bounds) as jobs,
    ):
        watched.failures += [StoreBusy("Busy.", "Try again.")] * 3
        job = await ended(jobs, ANN, await _sent(jobs, ("a",), ("b",)))
        assert (job.state, len(watched.begun)) == (State.FAILED, 3)
        assert job.problem
        assert job.problem["code"] == "store_busy"


@in_loop
async def test_a_step_that_is_refused_names_its_documents_and_the_others_are_taken(
    tmp_path: Path,
) -> None:
    async with open_watched(tmp_path) as watched, jobs_of(watched, tmp_path) as jobs:
        watched.failures.append(Conflict("Somebody else has it.", "Read it again."))
        job = await ended(jobs, ANN, await _sent(jobs, ("a", "b"), ("c",)))
        assert job.state == State.DONE
        assert job.report
        assert (job.report["documents"], job.report["failedCount"]) == (["c"], 2)
        told = [(one["path"], one["code"]) for one in job.report["failed"]]
        assert told == [("a", "conflict"), ("b", "conflict")]


@in_loop
async def test_a_step_that_is_refused_names_its_address(tmp_path: Path) -> None:
    async with open_watched(tmp_path) as watched, jobs_of(watched, tmp_path) as jobs:
        watched.failures += [
            Conflict("Somebody else has it.", "Read it again."),
            Conflict("That one, too.", "Read it again."),
        ]
        steps = [Step(Options(), address=_NOWHERE + name) for name in ("a", "b")]
        order = Order(Kind.INGEST, "x", "acme:site", packed(steps))
        job = await ended(jobs, ANN, await jobs.submit(ANN, order))
        assert job.state == State.FAILED
        assert job.report
        assert [one["path"] for one in job.report["failed"]] == [_NOWHERE + "a", _NOWHERE + "b"]


@in_loop
async def test_documents_on_which_the_embedder_fails_are_named_to_who_sent_them(
    tmp_path: Path,
) -> None:
    async with open_watched(tmp_path) as watched, jobs_of(watched, tmp_path) as jobs:
        watched.sextant = with_embedder(watched.sextant, Watched(width=64))
        first = await ended(jobs, ANN, await send(jobs, ANN, "bad.md", f"It is {BROKEN}."))
        second = await ended(jobs, ANN, await send(jobs, ANN, "good.md"))
        assert first.report
        assert second.report
        assert (first.state, second.report["withoutVectors"]) == (State.DONE, [])
        assert first.report["withoutVectors"] == [
            {"document": "upload/bad.md", "reason": "Such words are not embedded."}
        ]


@in_loop
async def test_an_embedder_that_does_not_work_is_told_of(tmp_path: Path) -> None:
    async with open_watched(tmp_path) as watched, jobs_of(watched, tmp_path) as jobs:
        embedder = Watched(width=64)
        embedder.is_down = True
        watched.sextant = with_embedder(watched.sextant, embedder)
        job = await ended(jobs, ANN, await send(jobs, ANN))
        assert job.report
        assert (job.state, job.report["withoutVectors"]) == (State.DONE, [])
        assert list(job.report["notes"]) == [
            "no vectors: The embedder does not work: Nobody is there."
        ]
