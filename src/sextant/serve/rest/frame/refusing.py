"""How REST refuses: every error, of ours or of the framework, becomes a problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from sextant.errors import SextantError
from sextant.serve.front.problem import Problem, problem_of, request_id_of, unmeant
from sextant.serve.wire.faults import Fault

_MOST_ERRORS = 20
_WHOLE = "body"
_NOT_ALLOWED = 405
_TOLD = {
    404: ("not_found", "There is nothing here."),
    405: ("method_not_allowed", "This cannot be done here."),
}


class Refused(HTTPException):
    """What only HTTP can be wrong about: a body, a media type, a precondition."""

    def __init__(self, status: int, code: str, sentence: str, hint: str = "") -> None:
        super().__init__(status, sentence)
        self.problem = Problem(status, code, HTTPStatus(status).phrase, sentence, hint)


def refuse_by_problems(app: FastAPI) -> None:
    """Let an app answer every error with a problem."""

    async def refuse(request: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException) and error.status_code == _NOT_ALLOWED:
            error.headers = {"allow": ", ".join(_methods(request.scope["path"], app))}
        return _problem(error).response(request_id_of(request.scope))

    for kind in (SextantError, HTTPException):
        app.add_exception_handler(kind, refuse)


def _methods(path: str, app: FastAPI) -> list[str]:
    """Return all that can be done with a path: the framework tells of one route only."""
    found: set[str] = set()
    for route in iter_route_contexts(app.routes):
        if isinstance(route.original_route, Route) and route.path_regex.match(path):
            found |= route.methods or set()
    return sorted(found)


def _problem(error: Exception) -> Problem:
    match error:
        case SextantError():
            return problem_of(error)
        case Refused():
            return error.problem
        case HTTPException():
            return _by_framework(error)
        case _:
            return unmeant()


def misshapen(faults: Sequence[Fault]) -> Refused:
    """Return why a request is refused whose fields are not as they should be."""
    told = [{"field": one.field or _WHOLE, "message": one.message} for one in faults]
    first = told[0]
    end = "" if first["message"].endswith((".", "?")) else "."
    refused = Refused(
        422,
        "invalid_input",
        f"The request has the wrong shape: {first['field']}: {first['message']}{end}",
        "Correct the fields that errors names; /openapi.json has the shape.",
    )
    errors = tuple(told[:_MOST_ERRORS])
    refused.problem = replace(refused.problem, title="Invalid input", errors=errors)
    return refused


def _by_framework(error: HTTPException) -> Problem:
    """Return what the framework refuses: there is no such path, or no such method there."""
    status = error.status_code
    code, sentence = _TOLD.get(status, ("invalid_input", "The request cannot be taken."))
    headers = tuple((error.headers or {}).items())
    allowed = (error.headers or {}).get("allow", "")
    use = f"Use {allowed.replace(', ', ' or ')} here. " if allowed else ""
    hint = f"{use}See /openapi.json for what there is."
    return Problem(status, code, HTTPStatus(status).phrase, sentence, hint, headers)
