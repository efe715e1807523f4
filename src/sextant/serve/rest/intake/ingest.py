"""POST /api/ingest: files, documents or addresses come in, and a job takes them from there."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response

from sextant.errors import InvalidInput, TooLarge
from sextant.ingest.keeping.mandate import mandate_of
from sextant.serve.caller import Role, Wanted
from sextant.serve.house import House, Note
from sextant.serve.jobs import Arrival, Job, Whose, whose
from sextant.serve.jobs.staging import FILES, lay_out, options_of, order_of
from sextant.serve.jobs.work import Step
from sextant.serve.records.idempotency import digest_of
from sextant.serve.rest.intake.multipart import MEDIA, is_multipart, receive
from sextant.serve.rest.intake.submitting import HEADERS, answer
from sextant.serve.rest.openapi.schemas import problems
from sextant.serve.rest.request.bodies import JSON, check_json, read_json
from sextant.serve.rest.request.common_parameters import For, visit_of, wanted_in
from sextant.serve.rest.request.refusals import misshapen
from sextant.serve.rest.request.routing import Operations
from sextant.serve.wire.common.faults import Fault, faults_of
from sextant.serve.wire.common.models import inlined
from sextant.serve.wire.ingest import FilesIn, FormOptions, IngestOptions, IngestRequest
from sextant.serve.wire.jobs import JobShape
from sextant.types import Scope

M = TypeVar("M", bound=IngestOptions)
PATH = "/api/ingest"
_MEGABYTE = 1 << 20
_LARGEST_JSON = 16 * _MEGABYTE
_OR_FILES = f"Send {JSON}, or files as {MEDIA}, as `curl -F file=@guide.md` does."
_LISTS = frozenset({"tags", "personas", "personaIds", "include", "exclude"})
_FLAGS = {"true": True, "1": True, "on": True, "false": False, "0": False, "off": False, "": False}
_BODY: dict[str, Any] = {
    "required": True,
    "content": {JSON: {"schema": inlined(IngestRequest)}, MEDIA: {"schema": inlined(FilesIn)}},
}


def routes(house: House) -> Operations:
    """Return the way in for knowledge."""
    operations = Operations("ingest")

    @operations.on(
        "POST",
        PATH,
        operation_id="ingest",
        summary="Take in files, documents or addresses",
        headers=HEADERS,
        request_body=_BODY,
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
        sent = _sent_for(house, request, wanted)
        return await (_files(sent) if is_multipart(request) else _values(sent))

    return operations


@dataclass(frozen=True, slots=True)
class _Sent:
    """Something that is sent in, and for whom."""

    house: House
    request: Request
    wanted: Wanted
    scope: Scope

    @property
    def by(self) -> Whose:
        """Whose job it is."""
        return whose(self.scope, visit_of(self.request).caller)

    def sent_for(self, places: Sequence[Wanted]) -> _Sent:
        """Return it for whom the body names, if it may."""
        wanted = wanted_in(self.request, self.wanted, places)
        return self if wanted == self.wanted else _sent_for(self.house, self.request, wanted)

    async def submitted(
        self, arrival: Arrival, what: str, steps: Sequence[Step], digest: str
    ) -> Response:
        """Let a job take it in, and return that."""
        order, visit = order_of(self.by, what, steps), visit_of(self.request)

        async def submit(mark: str) -> Job:
            self.house.audit.note(Note(visit, self.scope, "ingest", order.what))
            return await arrival.submit(order, mark)

        return await answer(self.house, self.request, self.wanted, self.by, digest, submit)


def _sent_for(house: House, request: Request, wanted: Wanted) -> _Sent:
    """Let somebody in who sends something."""
    scope = house.enter(visit_of(request), wanted, Role.WRITE, "ingest")
    return _Sent(house, request, wanted, scope)


async def _values(sent: _Sent) -> Response:
    """Take in what comes as JSON."""
    check_json(sent.request, _OR_FILES)
    body = await _body(sent.request)
    asked = await asyncio.to_thread(lambda: _checked(IngestRequest, read_json(body)))
    sent = sent.sent_for(asked.places)
    async with sent.house.jobs.receiving(sent.by, len(body)) as arrival:
        mandate = mandate_of(sent.scope)
        what, steps = await asyncio.to_thread(lay_out, asked, mandate, arrival.folder)
        return await sent.submitted(arrival, what, steps, digest_of(body))


async def _files(sent: _Sent) -> Response:
    """Take in files; only after them is it known for whom a form is, which may be somebody else."""
    jobs, most = sent.house.jobs, sent.house.settings.serve.upload_megabytes * _MEGABYTE
    async with jobs.receiving(sent.by, _announced(sent.request, most)) as arrival:
        received = await receive(sent.request, arrival.folder / FILES, most)
        if not received.files:
            raise InvalidInput("The upload holds no file.", "Send files, each with its name.")
        arrival.size = received.size
        asked = _checked(FormOptions, _read_fields(received.fields))
        named = sent.sent_for(asked.places)
        what = ", ".join(received.files)
        steps = [Step(options_of(asked, mandate_of(named.scope)), FILES)]
        if named is sent:
            return await sent.submitted(arrival, what, steps, received.digest)
        async with jobs.receiving(named.by, received.size) as own:
            await asyncio.to_thread((arrival.folder / FILES).rename, own.folder / FILES)
            return await named.submitted(own, what, steps, received.digest)


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
        elif len(set(values)) > 1:
            raise misshapen([Fault(name, "It is given twice")])
        else:
            read[name] = values[-1]
    return read


def _checked(model: type[M], value: Any) -> M:
    """Return what was asked, if it has the right shape."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise misshapen(faults_of(error.errors(), model)) from None
