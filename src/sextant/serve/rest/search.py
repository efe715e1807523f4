"""POST /api/search: SearchAndRank as REST, with every field that it has."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from sextant.serve.caller import Role
from sextant.serve.house import House
from sextant.serve.rest.openapi.schemas import problems
from sextant.serve.rest.request.common_parameters import For, visit_of, wanted_in
from sextant.serve.rest.request.replies import json_reply
from sextant.serve.rest.request.routing import Operations
from sextant.serve.wire.search import SearchReply, SearchRequest, results_of


def routes(house: House) -> Operations:
    """Return what can be searched."""
    operations = Operations("ask")

    @operations.on(
        "POST",
        "/api/search",
        operation_id="search",
        summary="Rank the passages that a question needs",
        responses={
            200: {"model": SearchReply, "description": "What was found, best first."},
            **problems(404),
        },
    )
    async def search(request: Request, wanted: For, body: SearchRequest) -> Response:
        """Find passages by words, by meaning and by the graph, and rank them by the four R.

        Every field of SearchAndRank is taken, in PascalCase or camelCase; `query` and `topK` are
        other names for `UserQueryText` and `TopKFinalRank`. Nothing is written.
        """
        whom = wanted_in(request, wanted, body.places)
        scope = house.enter(visit_of(request), whom, Role.SEARCH, "search", body.subject)
        ranked = await house.sextant.search(scope, body.question(house.settings))
        return json_reply(results_of(ranked, explained=body.explain_ranking, full=body.full_text))

    return operations
