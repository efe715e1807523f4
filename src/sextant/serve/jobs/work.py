"""What a job does: takes in what came, or writes a backup. Knows the verbs, no row and no door."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from sextant.core import Sextant
from sextant.errors import (
    Ignored,
    ModelUnreachable,
    NotFound,
    Overloaded,
    SextantError,
    StoreBusy,
    UnsafeSource,
)
from sextant.ingest.embedding.progress import Vectors
from sextant.ingest.flow import Options
from sextant.ingest.read.data.sent import ENDING
from sextant.ingest.report import Report
from sextant.ingest.threads import in_thread
from sextant.ingest.values import Refusal, Unresolved
from sextant.serve.errors import shown
from sextant.serve.http.problem import problem_of
from sextant.serve.jobs.spool import sync_folder
from sextant.types import CURATOR, Scope
from sextant.types.serving import Job, Progress

PASSING = (StoreBusy, Overloaded, ModelUnreachable)
"""What may go well at another try of the whole job; what its steps did already costs little."""
_MOST_REFUSALS = 100
_MOST_NAMED = 100
_VECTORS_S = 20.0
_COUNTS = ("found", "added", "updated", "unchanged", "removed", "chunks", "entities", "relations")
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
Tell = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Step:
    """One run of ingest: over a folder among the files of the job, or over an address."""

    options: Options
    folder: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a job; a problem means that it failed."""

    report: Mapping[str, Any]
    problem: Mapping[str, Any] | None = None
    error: SextantError | None = None


def packed(steps: Sequence[Step]) -> dict[str, Any]:
    """Return steps as what an order keeps."""
    return {"steps": [asdict(step) for step in steps]}


def is_address(text: str) -> bool:
    """Whether a text can only be an address, and no path on this machine."""
    return bool(_ADDRESS.match(text))


async def take_in(sextant: Sextant, job: Job, files: Path, tell: Tell) -> Outcome:
    """Take in what a job brought, step by step; a job that was cut off may do it all again."""
    steps = [_step(step) for step in job.order.spec["steps"]]
    whose = Scope(job.whose.tenant, job.whose.personas, job.whose.user)
    return await take_steps(sextant, whose, steps, files, tell)


async def take_steps(
    sextant: Sextant, scope: Scope, steps: Sequence[Step], files: Path, tell: Tell
) -> Outcome:
    """Take in what is among these files, step by step; one of several may fail by itself."""
    reports: list[Report] = []
    refusals: list[Refusal] = []
    for step in steps:
        before = sum(report.done for report in reports), sum(report.found for report in reports)

        def hear(report: Report, before: tuple[int, int] = before) -> None:
            tell(Progress(before[0] + report.done, before[1] + report.found, "reading"))

        try:
            sources = [_source(step, files)]
            words = replace(step.options, words_only=True)
            reports.append(await sextant.ingest(_bringing(scope, step), sources, words, hear))
        except SextantError as error:
            if len(steps) == 1 or isinstance(error, PASSING):
                raise
            refusals += [Refusal(name, error) for name in _brought(step)]
    return _outcome(reports, refusals, await _embed(sextant, scope, tell))


async def _embed(sextant: Sextant, scope: Scope, tell: Tell) -> Vectors:
    """Wait a moment for vectors, so that little is whole at once; the server makes the rest."""
    heard = Vectors()

    def hear(vectors: Vectors) -> None:
        nonlocal heard
        heard = vectors
        tell(Progress(vectors.done, vectors.chunks, "embedding"))

    with suppress(TimeoutError):
        async with asyncio.timeout(_VECTORS_S):
            await sextant.embed_waiting(scope, hear)
    return heard


async def back_up(sextant: Sextant, job: Job, files: Path, backups: Path, tell: Tell) -> Outcome:
    """Write a backup among the files of the job, then put it where it is kept."""
    name = str(job.order.spec["name"])
    draft, target = files / name, backups / name

    def hear(what: str, done: int, total: int) -> None:
        tell(Progress(done, total, what))

    if not target.exists():
        await in_thread(draft.unlink, missing_ok=True)
        await sextant.store.admin.backup(draft, hear)
        await in_thread(_put, draft, target)
    return Outcome({"name": name, "bytes": target.stat().st_size})


def _put(draft: Path, target: Path) -> None:
    draft.replace(target)
    sync_folder(target.parent)


def _bringing(scope: Scope, step: Step) -> Scope:
    """Return who brings what a step takes in."""
    return replace(scope, roles=frozenset({CURATOR}) if step.options.curates else frozenset())


def _step(packed: Mapping[str, Any]) -> Step:
    given = {"curates": False, **packed["options"]}  # jobs of before said nothing of it
    options: dict[str, Any] = {
        one.name: tuple(given[one.name]) if isinstance(given[one.name], list) else given[one.name]
        for one in fields(Options)
        if one.name in given
    }
    return Step(Options(**options), packed["folder"], packed["address"])


def _brought(step: Step) -> Sequence[str]:
    """Name what a step brought, as its sender knows it."""
    return step.options.ids or [step.address or step.options.name or step.folder]


def _source(step: Step, files: Path) -> str:
    """Return the source of a step; whatever a row says, it is an address or among the files."""
    if step.address:
        if not is_address(step.address):
            raise UnsafeSource("Only http and https addresses are read here.", "Upload it instead.")
        return step.address
    folder = files / step.folder
    if not folder.is_dir():
        raise NotFound("The files of this job are gone.", "Send them again.")
    return str(folder)


def _outcome(reports: Sequence[Report], refusals: Sequence[Refusal], vectors: Vectors) -> Outcome:
    failed = [*refusals, *(one for report in reports for one in report.failed)]
    skipped = [one for report in reports for one in report.skipped]
    unresolved = [one for report in reports for one in report.unresolved]
    told: dict[str, Any] = {
        name: sum(getattr(report, name) for report in reports) for name in _COUNTS
    }
    there = told["added"] + told["updated"] + told["unchanged"]
    taken = there + told["removed"]
    named = [name for report in reports for name in report.documents]
    told |= {
        "documentCount": there,
        "documents": named[:_MOST_NAMED],
        "withoutVectors": _without_vectors(named, vectors),
        "formats": _summed(report.formats for report in reports),
        "notes": _summed((*(report.remarks for report in reports), _remarks_on(vectors))),
        "failedCount": len(refusals) + sum(report.refused["failed"] for report in reports),
        "skippedCount": sum(report.refused["skipped"] for report in reports),
        "failed": [_refused(one) for one in failed[:_MOST_REFUSALS]],
        "skipped": [_refused(one) for one in skipped[:_MOST_REFUSALS]],
        "unresolvedCount": sum(report.unresolved_count for report in reports),
        "unresolved": [_unresolved(one) for one in unresolved[:_MOST_REFUSALS]],
    }
    trouble = [one for one in (*failed, *skipped) if not isinstance(one.error, Ignored)]
    error = trouble[0].error if trouble and not taken else None
    return Outcome(told, problem_of(error).fields() if error else None, error)


def _without_vectors(document_ids: Sequence[str], vectors: Vectors) -> list[dict[str, str]]:
    """Say on which of these documents the embedder failed; others are not this job's to tell."""
    own = [name for name in document_ids if name in vectors.failed][:_MOST_REFUSALS]
    return [{"document": name, "reason": vectors.failed[name]} for name in own]


def _remarks_on(vectors: Vectors) -> dict[str, int]:
    return {f"no vectors: {vectors.stopped}": 1} if vectors.stopped else {}


def _refused(refusal: Refusal) -> dict[str, str]:
    told = shown(refusal.error)
    path = refusal.path.removesuffix(ENDING)
    return {"path": path, "code": told.code, "detail": told.sentence, "hint": told.hint}


def _unresolved(one: Unresolved) -> dict[str, Any]:
    return {"kind": one.kind, "id": one.id, "neededBy": list(one.needed_by)}


def _summed(counts: Any) -> dict[str, int]:
    summed: dict[str, int] = {}
    for one in counts:
        for name, count in one.items():
            summed[name] = summed.get(name, 0) + count
    return summed
