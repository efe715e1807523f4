"""How AG-UI tells an error before a run begins: what its clients show, and what they can parse.

The body is an event of a run that failed as well, since a guard that ends a stream writes it there.
"""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from sextant.serve.errors import in_one_text
from sextant.serve.http.problem import Problem
from sextant.serve.rest.request.bodies import JSON
from sextant.text.codec.json_bytes import written


def refusal_content(problem: Problem, request_id: str) -> dict[str, Any]:
    """Return what a client is told; `error` and `message` are what the Node runtime has."""
    return {
        "type": "RUN_ERROR",
        "error": problem.title,
        "message": in_one_text(problem.detail, problem.hint, request_id),
        "code": problem.code,
        "requestId": request_id,
        "metadata": {"requestId": request_id},
    }


def refusal(problem: Problem, request_id: str) -> Response:
    """Return a problem as a client of AG-UI expects it: the error form of a door."""
    body = written(refusal_content(problem, request_id))
    return Response(body, problem.status, dict(problem.headers), media_type=JSON)
