"""Jobs on the wire: models, and a job as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import Field

from sextant.serve.jobs import Job
from sextant.serve.wire.common.models import Wire
from sextant.serve.wire.knowledge import moment_of
from sextant.types.serving import State

WITH_REFUSALS = "done_with_refusals"
"""The state of a job that is over, but took in only a part of what came."""


class ProgressShape(Wire):
    """How much of how much is done."""

    done: int
    total: int
    what: str


class RefusalShape(Wire):
    """Something that was not taken in, and why."""

    path: str
    code: str
    detail: str
    hint: str


class UnresolvedShape(Wire):
    """Something that is not there yet; what refers to it is joined to it when it comes."""

    kind: str = Field(examples=["chunk"], description="chunk or entity.")
    id: str = Field(examples=["doc1#c12"])
    needed_by: list[str] = Field(examples=[["relation rel-1"]])


class WithoutVectorsShape(Wire):
    """A document that is found by words alone, and why."""

    document: str
    reason: str


class ReportShape(Wire):
    """What an ingest did, or for a backup its name and size."""

    found: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    document_count: int = Field(0, description="How many of the documents that came are in.")
    documents: list[str] = Field([], description="Their ids, the first hundred.")
    without_vectors: list[WithoutVectorsShape] = Field(
        [], description="Of these documents those on which the embedder failed, the first hundred."
    )
    chunks: int = 0
    entities: int = 0
    relations: int = 0
    formats: dict[str, int] = Field({})
    notes: dict[str, int] = Field({})
    failed_count: int = 0
    skipped_count: int = 0
    failed: list[RefusalShape] = Field([], description="The first hundred.")
    skipped: list[RefusalShape] = Field([], description="The first hundred.")
    unresolved_count: int = 0
    unresolved: list[UnresolvedShape] = Field([], description="The first hundred.")
    name: str = ""
    bytes: int = 0


class JobProblem(Wire):
    """Why a job failed, and what to do."""

    type: str
    title: str
    status: int
    detail: str
    hint: str
    code: str


class JobShape(Wire):
    """A piece of work that goes on after its request was answered."""

    id: str
    kind: str = Field(examples=["ingest"])
    state: str = Field(
        examples=["done"],
        description="queued, running, done, done_with_refusals, failed or cancelled. With refusals "
        "a part was not taken in: report.failedCount says how much, report.failed what and why.",
    )
    what: str = Field(description="What it is about, in short.")
    progress: ProgressShape
    report: ReportShape | None
    problem: JobProblem | None
    created: datetime
    started: datetime | None
    ended: datetime | None


class JobsPage(Wire):
    """Some jobs, the newest first, and where older ones are."""

    jobs: list[JobShape]
    next: str | None = Field(description="The address of the next page; none after the last.")


class BackupShape(Wire):
    """A backup that is kept on the server."""

    name: str
    bytes: int
    created: datetime


class BackupsPage(Wire):
    """All backups, the newest first."""

    backups: list[BackupShape]


def job_of(job: Job) -> dict[str, Any]:
    """Return a job as plain values."""
    return {
        "id": job.id,
        "kind": job.order.kind,
        "state": state_of(job.state, job.report),
        "what": job.order.what,
        "progress": {
            "done": job.progress.done,
            "total": job.progress.total,
            "what": job.progress.what,
        },
        "report": job.report,
        "problem": job.problem,
        "created": _moment(job.created),
        "started": _moment(job.started),
        "ended": _moment(job.ended),
    }


def state_of(state: State, report: Mapping[str, Any] | None) -> str:
    """Return how far something is; what is done may have left something out."""
    is_partial = bool(report and report.get("failedCount"))
    return WITH_REFUSALS if state is State.DONE and is_partial else state


def jobs_of(jobs: Sequence[Job], there: str | None) -> dict[str, Any]:
    """Return a page of jobs as plain values."""
    return {"jobs": [job_of(job) for job in jobs], "next": there}


def _moment(seconds: float | None) -> str | None:
    return None if seconds is None else moment_of(datetime.fromtimestamp(seconds, UTC))
