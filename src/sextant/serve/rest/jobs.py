"""Jobs: list them, read one, follow it, cancel it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Annotated

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from sextant.errors import SextantError
from sextant.serve.caller import Caller, Role, Wanted
from sextant.serve.guards.limits.concurrency import step_aside
from sextant.serve.house import House
from sextant.serve.http.problem import problem_of, request_id_of
from sextant.serve.identity.bearer import token_of
from sextant.serve.jobs import Job, Whose, whose
from sextant.serve.rest.intake.submitting import LONGEST_WAIT_S
from sextant.serve.rest.openapi.schemas import NOT_MODIFIED, events, problems, shape
from sextant.serve.rest.request.bodies import STREAM
from sextant.serve.rest.request.common_parameters import After, For, Limit, visit_of
from sextant.serve.rest.request.parameters import in_path, in_query
from sextant.serve.rest.request.replies import json_reply, next_link, paged, tag_of, tagged
from sextant.serve.rest.request.routing import Operations
from sextant.serve.rest.request.stream import COMMENT, KEEP_ALIVE_S, Closing, framed
from sextant.serve.wire.jobs import JobShape, JobsPage, job_of, jobs_of

JobId = Annotated[str, in_path(), Field(max_length=64, description="The id of a job.")]
Wait = Annotated[
    int,
    in_query(),
    Field(
        ge=0,
        le=LONGEST_WAIT_S,
        description="Wait so many seconds for a change: since If-None-Match, or since now.",
    ),
]
_STREAMED = events(
    "`progress` as it goes on, then `done` with the job as it ended; `error` where the server ends "
    "first, or the token does.",
    progress=shape("JobShape"),
    done=shape("JobShape"),
    error=shape("Problem"),
)


def routes(house: House) -> Operations:
    """Return what can be done with jobs."""
    operations = Operations("ingest")
    _list(operations, house)
    _get(operations, house)
    _follow(operations, house)
    _cancel(operations, house)
    return operations


def _list(operations: Operations, house: House) -> None:
    @operations.on(
        "GET",
        "/api/jobs",
        operation_id="listJobs",
        summary="List jobs, the newest first",
        responses={
            200: {"model": JobsPage, "description": "A page of jobs."},
            **NOT_MODIFIED,
            **problems(404),
        },
    )
    async def list_jobs(
        request: Request, wanted: For, after: After = "", limit: Limit = 50
    ) -> Response:
        """List the caller's own jobs; an administrator's list has all of the tenant."""
        by = _by(house, request, wanted, "list jobs", after)
        found = await house.jobs.list(by, after, limit + 1)
        page, there = paged(request, found, limit)
        return tagged(request, jobs_of(page, there), next_link(there))


def _get(operations: Operations, house: House) -> None:
    @operations.on(
        "GET",
        "/api/jobs/{job_id}",
        operation_id="getJob",
        summary="Read a job",
        responses={
            200: {"model": JobShape, "description": "The job as it stands."},
            **NOT_MODIFIED,
            **problems(404),
        },
    )
    async def get_job(request: Request, wanted: For, job_id: JobId, wait: Wait = 0) -> Response:
        """Read how far a job is; with `wait` the answer comes when something has changed."""
        by = _by(house, request, wanted, "read job", job_id)
        job = await house.jobs.get(by, job_id)
        known = request.headers.get("if-none-match")
        if wait and not (known and tag_of(job_of(job)) not in known):
            step_aside(request.scope)
            job = await house.jobs.watch(by, job_id, job.version, wait)
        return tagged(request, job_of(job))


def _follow(operations: Operations, house: House) -> None:
    @operations.on(
        "GET",
        "/api/jobs/{job_id}/events",
        operation_id="followJob",
        summary="Follow a job until it ends",
        media=(STREAM,),
        responses={
            200: {
                "description": "The job as it goes on.",
                "content": _STREAMED,
            },
            **problems(404),
        },
    )
    async def follow_job(request: Request, wanted: For, job_id: JobId) -> Response:
        """Send the job whenever it has changed, and at last as it ended."""
        by = _by(house, request, wanted, "follow job", job_id)
        job = await house.jobs.get(by, job_id)
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return Closing(_followed(house, by, job, request), headers)


def _cancel(operations: Operations, house: House) -> None:
    @operations.on(
        "DELETE",
        "/api/jobs/{job_id}",
        operation_id="cancelJob",
        summary="Cancel a job",
        responses={
            200: {"model": JobShape, "description": "The job; one that is over stays as it is."},
            202: {"model": JobShape, "description": "The job, which is about to end."},
            **problems(404),
        },
    )
    async def cancel_job(request: Request, wanted: For, job_id: JobId) -> Response:
        """Let a job end. What it has taken in already stays."""
        by = _by(house, request, wanted, "cancel job", job_id)
        job = await house.jobs.cancel(by, job_id)
        return json_reply(job_of(job), 200 if job.state.is_over else 202)


def _by(house: House, request: Request, wanted: Wanted, verb: str, subject: str) -> Whose:
    """Return for whom jobs are looked at: for who may write, or for an administrator."""
    visit = visit_of(request)
    scope = house.enter(visit, wanted, _role(visit.caller), verb, subject)
    return whose(scope, visit.caller)


def _role(caller: Caller) -> Role:
    has_only_admin = Role.WRITE not in caller.roles and Role.ADMIN in caller.roles
    return Role.ADMIN if has_only_admin else Role.WRITE


async def _followed(
    house: House, by: Whose, job: Job, request: Request
) -> AsyncGenerator[bytes, None]:
    """Yield a job as it changes; a word in between shows who is still there, and still may be."""
    loop, token = asyncio.get_running_loop(), token_of(request.scope)
    checked = loop.time()
    yield framed("done" if job.state.is_over else "progress", job_of(job))
    while not job.state.is_over:
        known, before = job.version, loop.time()
        job = await house.jobs.watch(by, job.id, known, KEEP_ALIVE_S)
        if loop.time() - checked >= KEEP_ALIVE_S:
            checked = loop.time()
            try:
                await house.identity.caller(token)
            except SextantError as refused:
                yield framed("error", problem_of(refused).content(request_id_of(request.scope)))
                return
        if job.version == known and loop.time() - before >= KEEP_ALIVE_S:
            yield COMMENT
        elif job.version != known:
            yield framed("done" if job.state.is_over else "progress", job_of(job))
