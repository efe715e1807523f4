"""Requests as REST reads them: bodies of strict JSON in UTF-8, and replies that can be accepted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any, ClassVar, cast, get_origin

from fastapi import Request
from fastapi._compat import ModelField
from fastapi.dependencies.models import Dependant
from fastapi.dependencies.utils import SolvedDependency, get_flat_params, solve_dependencies
from fastapi.params import Query
from fastapi.routing import APIRoute
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from sextant.errors import InvalidInput
from sextant.serve.caller import NOBODY
from sextant.serve.rest.frame.refusing import Refused, misshapen
from sextant.serve.rest.frame.wanting import wanted_by
from sextant.serve.wire.faults import Fault, faults_of, unknown
from sextant.text.shape import loads

JSON = "application/json"
STREAM = "text/event-stream"
_JSON_HINT = f"Send {JSON} in UTF-8."
_LARGE = 64 * 1_024
_LONGEST_NAME = 200
_MOST_TOLD = 20


class JsonRoute(APIRoute):
    """A route that takes JSON, if it takes a body, and answers with JSON."""

    media: ClassVar[tuple[str, ...]] = (JSON,)

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.app = _answering(self.get_route_handler())

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what answers a request: every endpoint of ours returns a response itself."""
        answer = cast(Callable[..., Coroutine[Any, Any, Response]], self.dependant.call)
        model = self.body_field.field_info.annotation if self.body_field else None
        parameters = get_flat_params(self.dependant)
        asked = [one for one in parameters if isinstance(one.field_info, Query)]
        known = {one.alias: get_origin(one.field_info.annotation) is list for one in asked}
        # An address without a query names nobody, and FastAPI takes long to find that out.
        named = [one for one in self.dependant.dependencies if one.call is wanted_by]
        others = [one for one in self.dependant.dependencies if one not in named]
        bare = replace(self.dependant, dependencies=others)
        nobody = {str(one.name): NOBODY for one in named}
        only = _only_body(bare)

        async def read_and_answer(request: Request) -> Response:
            accepted(request, *self.media)
            _check_query(request, known)
            body = await _body(request) if self.body_field else None
            asks = bool(request.scope["query_string"])
            if only and not asks:
                values, errors = _read_body(bare, only, request, body)
            else:
                solved = await _solved(request, self.dependant if asks else bare, body)
                values, errors = solved.values, solved.errors
            if errors:
                raise misshapen(_faults(errors, model))
            return await answer(**{**nobody, **values})

        return read_and_answer


def _answering(answer: Callable[[Request], Coroutine[Any, Any, Response]]) -> ASGIApp:
    """Return the app of a route; FastAPI's own prepares for what nothing here leaves open."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        response = await answer(Request(scope, receive, send))
        await response(scope, receive, send)

    return app


async def _solved(request: Request, dependant: Dependant, body: Any) -> SolvedDependency:
    async with AsyncExitStack() as stack:
        request.scope["fastapi_inner_astack"] = request.scope["fastapi_function_astack"] = stack
        return await solve_dependencies(
            request=request,
            dependant=dependant,
            body=body,
            async_exit_stack=stack,
            embed_body_fields=False,
        )


def _only_body(dependant: Dependant) -> ModelField | None:
    """Return the body of a route that is told nothing else, so that there is little to solve."""
    others = (
        dependant.dependencies,
        dependant.path_params,
        dependant.query_params,
        dependant.header_params,
        dependant.cookie_params,
    )
    return dependant.body_params[0] if len(dependant.body_params) == 1 and not any(others) else None


def _read_body(
    dependant: Dependant, field: ModelField, request: Request, body: Any
) -> tuple[dict[str, Any], Sequence[Any]]:
    """Return the values that a route takes of a request that has a body and nothing else."""
    value, errors = field.validate(body, {}, loc=("body",))
    values = {field.name: value}
    if dependant.request_param_name:
        values[dependant.request_param_name] = request
    return values, errors


class TellingRoute(JsonRoute):
    """A route that can also tell as it goes."""

    media = (JSON, STREAM)


def _check_query(request: Request, known: Mapping[str, bool]) -> None:
    """Refuse what an address asks that nobody knows, or asks twice where that is no list."""
    if not request.scope["query_string"]:
        return
    given = [name for name, _ in request.query_params.multi_items()]
    others = [name for name in dict.fromkeys(given) if name not in known]
    faults = [
        Fault(name[:_LONGEST_NAME], unknown(name[:_LONGEST_NAME], list(known), "parameter"))
        for name in others[:_MOST_TOLD]
    ]
    twice = [name for name, is_list in known.items() if not is_list and given.count(name) > 1]
    faults += [Fault(name, "It is given twice") for name in twice]
    if faults:
        raise misshapen(faults)


def _faults(errors: Sequence[Any], model: Any) -> list[Fault]:
    """Return what is wrong in the body, and in the path and the query."""
    inside = [{**one, "loc": one["loc"][1:]} for one in errors if one["loc"][0] == "body"]
    outside = [{**one, "loc": one["loc"][1:]} for one in errors if one["loc"][0] != "body"]
    return [*faults_of(outside, None), *faults_of(inside, model)]


def read_json(body: bytes) -> Any:
    """Return the value of a JSON text, or refuse it."""
    try:
        return loads(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise Refused(400, "invalid_json", "The body is no text in UTF-8.", _JSON_HINT) from None
    except InvalidInput as error:
        why = f"The body cannot be read: {error.message[:200]}."
        raise Refused(400, "invalid_json", why, _JSON_HINT) from None


async def _body(request: Request) -> Any:
    """Return the value of a JSON body; a large one is read while others are answered."""
    check_json(request)
    body = await request.body()
    return read_json(body) if len(body) <= _LARGE else await asyncio.to_thread(read_json, body)


def check_json(request: Request, hint: str = _JSON_HINT) -> None:
    """Refuse a body that says that it is something else than JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON and not (kind.startswith("application/") and kind.endswith("+json")):
        raise Refused(415, "unsupported_media_type", "The body is not said to be JSON.", hint)


def accepted(request: Request, *media: str) -> str:
    """Return which of these media types the client likes best; of equals the first."""
    given = ",".join(request.headers.getlist("accept"))
    if not given.strip():
        return media[0]
    ranges = dict(_range(one) for one in given.split(","))
    best = max(media, key=lambda one: _liking(one, ranges))
    if _liking(best, ranges) <= 0:
        raise Refused(
            406, "not_acceptable", "This cannot be told as asked.", f"Accept {' or '.join(media)}."
        )
    return best


def _range(text: str) -> tuple[str, float]:
    name, *parameters = (part.strip().lower() for part in text.split(";"))
    for parameter in parameters:
        if parameter.startswith("q="):
            try:
                return name, float(parameter[2:])
            except ValueError:
                return name, 0.0
    return name, 1.0


def _liking(media: str, ranges: dict[str, float]) -> float:
    """Return how much a client likes a media type: what is named goes before what is wild."""
    kind = media.partition("/")[0]
    for name in (media, f"{kind}/*", "*/*"):
        if name in ranges:
            return ranges[name]
    return 0.0
