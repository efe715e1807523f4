"""How the guards refuse at the door of CopilotKit: as the client's own protocol tells an error.

A GraphQL client gets its errors over HTTP 200: on any other status it speaks of the network.
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from sextant.serve.agui.refusals import refusal
from sextant.serve.graphql.failures import refusal_of
from sextant.serve.http.problem import ErrorForm, Problem
from sextant.text.codec.json_bytes import written

_GRAPHQL = "application/graphql-response+json"
"""What every release of the GraphQL clients accepts, and no client of AG-UI does."""


def form_of_refusals(scope: Scope) -> ErrorForm:
    """Return how the client of a request is told that it is refused."""
    accepts = ",".join(Headers(scope=scope).getlist("accept")).lower()
    return graphql_refusal if _GRAPHQL in accepts else refusal


def graphql_refusal(problem: Problem, request_id: str) -> Response:
    """Return a problem as a GraphQL client reads it."""
    body = written({"errors": [refusal_of(problem, request_id)]})
    return Response(body, 200, dict(problem.headers), media_type=_GRAPHQL)
