"""A job as the reply to who sent it: once, soon enough as it ended, or where to follow it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from sextant.serve.caller import Wanted
from sextant.serve.guards.limits.concurrency import step_aside
from sextant.serve.house import House
from sextant.serve.jobs import Job, Whose
from sextant.serve.records.idempotency import mark_of
from sextant.serve.rest.request.replies import json_reply
from sextant.serve.wire.jobs import job_of

LONGEST_WAIT_S = 30
_WAIT = re.compile(r"(?:^|[,;\s])wait=(\d{1,6})(?:$|[,;\s])", re.IGNORECASE)
KEY: dict[str, Any] = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {"type": "string", "maxLength": 255},
    "description": "Sent again with the same body, the same reply comes back.",
}
HEADERS: list[dict[str, Any]] = [
    KEY,
    {
        "name": "Prefer",
        "in": "header",
        "schema": {"type": "string"},
        "description": "`wait=10` waits so many seconds for the job to end, 30 at most.",
    },
]


def location_of(wanted: Wanted, job: Job) -> str:
    """Return where a job can be followed, by whom it was sent for."""
    personas = [("personaId", persona) for persona in sorted(wanted.personas)]
    named = [("tenantId", wanted.tenant), *personas, ("aadObjectId", wanted.user)]
    query = urlencode([(name, value) for name, value in named if value])
    return f"/api/jobs/{job.id}" + (f"?{query}" if query else "")


def wait_of(request: Request) -> float:
    """Return how many seconds a client would wait for the end."""
    found = _WAIT.search(",".join(request.headers.getlist("prefer")))
    return min(float(found[1]), LONGEST_WAIT_S) if found else 0.0


async def answer(
    house: House,
    request: Request,
    wanted: Wanted,
    by: Whose,
    digest: str,
    submit: Callable[[str], Awaitable[Job]],
) -> Response:
    """Submit a job once; return it as it ended, if that is soon enough, or where to follow it."""
    new: list[Job] = []

    async def act() -> Response:
        new.append(await submit(mark_of(request, by, digest)))
        return json_reply(job_of(new[0]), 202, {"location": location_of(wanted, new[0])})

    response = await house.replies.once(request, by, digest, act)
    wait = wait_of(request)
    if not new or not wait:
        return response
    step_aside(request.scope)
    job = await _ended(house, by, new[0], wait)
    headers = {"location": location_of(wanted, job), "preference-applied": "wait"}
    response = json_reply(job_of(job), 200 if job.state.is_over else 202, headers)
    await house.replies.renew(request, by, digest, response)
    return response


async def _ended(house: House, by: Whose, job: Job, seconds: float) -> Job:
    """Return a job when it is over, or as it is after so many seconds."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    while not job.state.is_over and (left := until - loop.time()) > 0:
        job = await house.jobs.watch(by, job.id, job.version, left)
    return job
