"""Which endpoint answers a request: by its path, then by its method. Knows no endpoint."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from re import Pattern
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import compile_path
from starlette.types import Receive, Scope, Send

from sextant.errors import SextantError
from sextant.serve.http.problem import problem_of, request_id_of
from sextant.serve.rest.request.bodies import JSON, accepted, check_query, json_body
from sextant.serve.rest.request.parameters import Signature, signature_of
from sextant.serve.rest.request.refusals import Refused, not_allowed, nothing_here

Answer = Callable[[Request], Awaitable[Response]]
Endpoint = Callable[..., Coroutine[Any, Any, Response]]
Described = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """What can be done by a method at a path: who does it, what it takes, and how it is told."""

    method: str
    path: str
    id: str
    tag: str
    summary: str
    endpoint: Endpoint
    signature: Signature
    responses: Mapping[int, Described]
    media: tuple[str, ...]
    headers: Sequence[Described]
    request_body: Described | None

    async def answer(self, request: Request) -> Response:
        """Read a request, and let the endpoint answer it."""
        accepted(request, *self.media)
        if request.scope["query_string"]:
            asked = [one for one in self.signature.parameters if one.is_query]
            check_query(request, {one.name: one.is_list for one in asked})
        body = await json_body(request) if self.signature.body else None
        return await self.endpoint(**self.signature.arguments(request, body))


class Operations:
    """Gathers the operations of one noun."""

    def __init__(self, tag: str) -> None:
        self._tag = tag
        self.all: list[Operation] = []

    def on(
        self,
        method: str,
        path: str,
        *,
        operation_id: str,
        summary: str,
        responses: Mapping[int, Described],
        media: tuple[str, ...] = (JSON,),
        headers: Sequence[Described] = (),
        request_body: Described | None = None,
    ) -> Callable[[Endpoint], Endpoint]:
        """Let an endpoint answer; headers and body are told here if it reads them itself."""

        def add(endpoint: Endpoint) -> Endpoint:
            self.all.append(
                Operation(
                    method,
                    path,
                    operation_id,
                    self._tag,
                    summary,
                    endpoint,
                    signature_of(endpoint),
                    responses,
                    media,
                    headers,
                    request_body,
                )
            )
            return endpoint

        return add


@dataclass(frozen=True, slots=True)
class Place:
    """A path, which may have parts to be filled in, and who answers there by which method."""

    path: str
    pattern: Pattern[str]
    answers: dict[str, Answer] = field(default_factory=dict)


class Router:
    """An ASGI app of places; every error of ours becomes a problem."""

    def __init__(self) -> None:
        self._places: dict[str, Place] = {}

    def add(self, method: str, path: str, answer: Answer) -> None:
        """Let somebody answer."""
        place = self._places.setdefault(path, Place(path, compile_path(path)[0]))
        place.answers[method] = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        try:
            response = await self._answer(Request(scope, receive, send))
        except Refused as refused:
            response = refused.problem.response(request_id_of(scope))
        except SextantError as error:
            response = problem_of(error).response(request_id_of(scope))
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        place, values = self._find(request.scope["path"])
        request.scope.update(route=place, path_params=values)
        answer = place.answers.get(request.method)
        if answer is None:
            raise not_allowed(sorted(place.answers))
        return await answer(request)

    def _find(self, path: str) -> tuple[Place, dict[str, str]]:
        if path in self._places:
            return self._places[path], {}
        for place in self._places.values():
            if found := place.pattern.match(path):
                return place, found.groupdict()
        raise nothing_here()
