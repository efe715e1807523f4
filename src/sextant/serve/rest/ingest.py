"""POST /api/ingest: files, documents or addresses come in, and a job takes them from there."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.responses import Response

from sextant.errors import Forbidden, InvalidInput, TooLarge
from sextant.serve.caller import Role
from sextant.serve.house import House
from sextant.serve.idempotency import digest_of
from sextant.serve.jobs import Arrival, Job, Order, Whose, whose
from sextant.serve.jobs.work import Step
from sextant.serve.rest.describing import problems
from sextant.serve.rest.laying import (
    FILES,
    Audience,
    audience_of,
    lay_out,
    options_of,
    order_of,
)
from sextant.serve.rest.multipart import MEDIA, is_multipart, receive
from sextant.serve.rest.reading import JSON, JsonRoute, check_json, read_json
from sextant.serve.rest.telling import told
from sextant.serve.rest.wanting import For, visit_of
from sextant.serve.wire.ingest import FilesIn, IngestOptions, IngestRequest, inlined
from sextant.serve.wire.jobs import JobShape, job_of

M = TypeVar("M", bound=IngestOptions)
_MEGABYTE = 1 << 20
_LARGEST_JSON = 16 * _MEGABYTE
_LONGEST_WAIT_S = 30.0
_WAIT = re.compile(r"(?:^|[,;\s])wait=(\d{1,6})(?:$|[,;\s])", re.IGNORECASE)
_LISTS = frozenset({"tags", "personas", "include", "exclude"})
_FLAGS = {"true": True, "1": True, "on": True, "false": False, "0": False, "off": False, "": False}
HEADERS: list[dict[str, Any]] = [
    {
        "name": "Idempotency-Key",
        "in": "header",
        "schema": {"type": "string", "maxLength": 255},
        "description": "Sent again with the same body, the same reply comes back.",
    },
    {
        "name": "Prefer",
        "in": "header",
        "schema": {"type": "string"},
        "description": "`wait=10` waits so many seconds for the job to end, 30 at most.",
    },
]
_DESCRIBED: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            JSON: {"schema": inlined(IngestRequest)},
            MEDIA: {"schema": inlined(FilesIn)},
        },
    },
    "parameters": HEADERS,
}


def routes(house: House) -> APIRouter:
    """Return the way in for knowledge."""
    router = APIRouter(route_class=JsonRoute, tags=["ingest"])

    @router.post(
        "/api/ingest",
        operation_id="ingest",
        summary="Take in files, documents or addresses",
        response_model=None,
        status_code=202,
        openapi_extra=_DESCRIBED,
        responses={
            200: {"model": JobShape, "description": "The job, which ended within the wait."},
            202: {"model": JobShape, "description": "The job; Location is where to follow it."},
            **problems(409),
        },
    )
    async def ingest(request: Request, wanted: For) -> Response:
        """Take in what comes, as a job that goes on whatever happens to this connection.

        What has the same name in the same source replaces what was there. Sent as JSON it brings
        `documents`, or `entities`, `relations` and `chunks`, or a `url` or `urls`; sent as
        multipart/form-data it brings files.
        """
        visit = visit_of(request)
        scope = house.enter(visit, wanted, Role.WRITE, "ingest")
        by = whose(scope, visit.caller)
        audience = audience_of(visit.caller, wanted, scope)
        most = house.settings.serve.upload_megabytes * _MEGABYTE
        async with house.jobs.receiving(by, _announced(request, most)) as arrival:
            if is_multipart(request):
                order, digest = await _files(request, by, audience, arrival, most)
            else:
                order, digest = await _values(request, by, audience, arrival)

            async def submit() -> Job:
                house.audit.note(visit, scope, "ingest", order.what)
                return await arrival.submit(order)

            return await answer(house, request, by, digest, submit)

    return router


def location_of(request: Request, job: Job) -> str:
    """Return where a job can be followed, by whom it was sent for."""
    wanted = ("tenantId", "personaId", "aadObjectId")
    named = {name: request.query_params[name] for name in wanted if name in request.query_params}
    return f"/api/jobs/{job.id}" + (f"?{urlencode(named)}" if named else "")


def wait_of(request: Request) -> float:
    """Return how many seconds a client would wait for the end."""
    found = _WAIT.search(",".join(request.headers.getlist("prefer")))
    return min(float(found[1]), _LONGEST_WAIT_S) if found else 0.0


async def answer(
    house: House, request: Request, by: Whose, digest: str, submit: Callable[[], Awaitable[Job]]
) -> Response:
    """Submit a job once; return it as it ended, if that is soon enough, or where to follow it."""
    new: list[Job] = []

    async def act() -> Response:
        new.append(await submit())
        return told(job_of(new[0]), 202, {"location": location_of(request, new[0])})

    response = await house.replies.once(request, by, digest, act)
    wait = wait_of(request)
    if not new or not wait:
        return response
    job = await _ended(house, by, new[0], wait)
    headers = {"location": location_of(request, job), "preference-applied": "wait"}
    response = told(job_of(job), 200 if job.state.is_over else 202, headers)
    await house.replies.renew(request, by, digest, response)
    return response


async def _ended(house: House, by: Whose, job: Job, seconds: float) -> Job:
    """Return a job when it is over, or as it is after so many seconds."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    while not job.state.is_over and (left := until - loop.time()) > 0:
        job = await house.jobs.watch(by, job.id, job.version, left)
    return job


async def _files(
    request: Request, by: Whose, audience: Audience, arrival: Arrival, most: int
) -> tuple[Order, str]:
    received = await receive(request, arrival.folder / FILES, most)
    if not received.files:
        raise InvalidInput("The upload holds no file.", "Send files, each with its name.")
    arrival.size = received.size
    asked = _checked(IngestOptions, _read_fields(received.fields), by)
    step = Step(options_of(asked, audience), FILES)
    return order_of(by, ", ".join(received.files), [step]), received.digest


async def _values(
    request: Request, by: Whose, audience: Audience, arrival: Arrival
) -> tuple[Order, str]:
    check_json(request)
    body = await _body(request)
    arrival.size = len(body)
    asked = _checked(IngestRequest, await asyncio.to_thread(read_json, body), by)
    what, steps = await asyncio.to_thread(lay_out, asked, audience, arrival.folder)
    return order_of(by, what, steps), digest_of(body)


async def _body(request: Request) -> bytes:
    """Return a body that is read as a whole, and so has to be smaller than files may be."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > _LARGEST_JSON:
            raise TooLarge(
                f"The JSON is over {_LARGEST_JSON >> 20} MB.", "Send it as a file, or in parts."
            )
    return bytes(body)


def _announced(request: Request, most: int) -> int:
    """Return how much a request says that it brings; without a word, as much as it may."""
    said = request.headers.get("content-length", "")
    return min(int(said), most) if said.isascii() and said.isdigit() else most


def _read_fields(fields: dict[str, list[str]]) -> dict[str, Any]:
    """Return the fields of a form as the values that they stand for."""
    read: dict[str, Any] = {}
    for name, values in fields.items():
        if name in _LISTS:
            read[name] = [part for value in values for part in value.split(",") if part]
        elif name == "sync":
            read[name] = _FLAGS.get(values[-1].strip().lower(), values[-1])
        elif name == "depth" and values[-1].isascii() and values[-1].isdigit():
            read[name] = int(values[-1])
        else:
            read[name] = values[-1]
    return read


def _checked(model: type[M], value: Any, by: Whose) -> M:
    """Return what was asked, if it has the right shape and names nobody else than the address."""
    try:
        asked = model.model_validate(value)
    except ValidationError as error:
        found = [{**one, "loc": ("body", *one["loc"])} for one in error.errors()]
        raise RequestValidationError(found) from None
    if asked.tenant_id not in (None, by.tenant) or asked.persona_id not in (None, by.persona):
        raise Forbidden(
            "The body names another tenant or persona than the address.",
            "Name them in the address, as tenantId and personaId.",
        )
    return asked
