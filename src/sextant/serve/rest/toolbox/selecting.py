"""The few right tools: select them, enhance some, find alternatives, what comes next, a path."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from sextant.limits import DEFAULT
from sextant.serve.caller import Role
from sextant.serve.house import House
from sextant.serve.rest.openapi.schemas import kept, problems
from sextant.serve.rest.request.common_parameters import For, visit_of, wanted_in
from sextant.serve.rest.request.parameters import in_query
from sextant.serve.rest.request.replies import json_reply, tagged
from sextant.serve.rest.request.routing import Operations
from sextant.serve.wire.common.models import Id
from sextant.serve.wire.common.whom import AskContext, Whom
from sextant.serve.wire.toolbox.selecting import (
    ALLOWED,
    BUDGET,
    AlternativesReply,
    Categories,
    Count,
    EnhanceReply,
    NextReply,
    SelectionReply,
    TokenBudget,
    ToolEnhancing,
    ToolIds,
    ToolPathReply,
    ToolSelecting,
    allowed,
    alternatives_of,
    next_of,
    related_of,
    selection_of,
    tool_path_of,
)

_PULL_REQUEST = "github.createPullRequest"


class AllowingContext(AskContext):
    """Where it is asked, and of which categories the tools may be."""

    model_config = ConfigDict(populate_by_name=False)

    allowed_categories: Categories | None = ALLOWED


class SelectingContext(AllowingContext):
    """Where it is asked, of which categories the tools may be, and how long."""

    model_config = ConfigDict(populate_by_name=False)

    token_budget: TokenBudget | None = BUDGET


class SelectRequest(ToolSelecting, Whom):
    """What somebody wants done, and what the tools for it may be."""

    context: SelectingContext | None = None


class EnhanceRequest(ToolEnhancing, Whom):
    """Tools that were found, and which others of those that belong to them are wanted."""


class AlternativesRequest(Whom):
    """A tool for which another one is wanted."""

    tool: Id = Field(examples=[_PULL_REQUEST])
    limit: Count = 10
    context: AllowingContext | None = None


class NextRequest(Whom):
    """Tools that were called, in order."""

    tools: ToolIds = Field(examples=[["github.createBranch"]])
    limit: Count = 5


Start = Annotated[
    str,
    in_query("from"),
    Field(min_length=1, max_length=DEFAULT.id, examples=["github.createBranch"]),
]
End = Annotated[
    str, in_query("to"), Field(min_length=1, max_length=DEFAULT.id, examples=[_PULL_REQUEST])
]


def routes(house: House) -> Operations:
    """Return what can be asked for."""
    operations = Operations("tools")
    _select(operations, house)
    _enhance(operations, house)
    _find_alternatives(operations, house)
    _predict(operations, house)
    _find_path(operations, house)
    return operations


def _select(operations: Operations, house: House) -> None:
    @operations.on(
        "POST",
        "/api/tools/select",
        operation_id="selectTools",
        summary="Select the few tools that a request needs",
        responses={
            200: {"model": SelectionReply, "description": "In the order of use."},
            **problems(),
        },
    )
    async def select_tools(request: Request, wanted: For, body: SelectRequest) -> Response:
        """Match the request, close its dependencies, fit the token budget, order by use.

        Each tool has its definition at the level of detail that fits, and the reasons why it is
        here; what was left out is listed.
        """
        whom = wanted_in(request, wanted, body.places)
        scope = house.enter(visit_of(request), whom, Role.SEARCH, "select tools", body.query)
        own = body.context
        limits = (own.allowed_categories, own.token_budget) if own else (None, None)
        asked = body.tool_request(*limits)
        return json_reply(selection_of(await house.sextant.toolbox.select(scope, asked)))


def _enhance(operations: Operations, house: House) -> None:
    @operations.on(
        "POST",
        "/api/tools/enhance",
        operation_id="enhanceTools",
        summary="Find the tools that belong to some",
        responses={
            200: {"model": EnhanceReply, "description": "The required first, then the surest."},
            **problems(),
        },
    )
    async def enhance_tools(request: Request, wanted: For, body: EnhanceRequest) -> Response:
        """Follow DEPENDS_ON and OFTEN_USED_WITH over at most two hops, in either direction.

        One hop counts the confidence of its edge, two hops half of their product. What a tool
        requires comes first and is never cut.
        """
        whom = wanted_in(request, wanted, body.places)
        subject = ", ".join(body.tools)
        scope = house.enter(visit_of(request), whom, Role.SEARCH, "enhance tools", subject)
        return json_reply(
            related_of(await house.sextant.toolbox.enhance(scope, body.related_query))
        )


def _find_alternatives(operations: Operations, house: House) -> None:
    @operations.on(
        "POST",
        "/api/tools/alternatives",
        operation_id="findAlternatives",
        summary="Find what can stand in for a tool",
        responses={
            200: {"model": AlternativesReply, "description": "The surest first."},
            **problems(404),
        },
    )
    async def find_alternatives(
        request: Request, wanted: For, body: AlternativesRequest
    ) -> Response:
        """Follow ALTERNATIVE_TO in either direction."""
        whom = wanted_in(request, wanted, body.places)
        scope = house.enter(visit_of(request), whom, Role.SEARCH, "find alternatives", body.tool)
        categories = allowed(body.context.allowed_categories if body.context else None)
        toolbox = house.sextant.toolbox
        found = await toolbox.find_alternatives(scope, body.tool, categories, body.limit)
        return json_reply(alternatives_of(found))


def _predict(operations: Operations, house: House) -> None:
    @operations.on(
        "POST",
        "/api/tools/next",
        operation_id="nextTools",
        summary="Predict which tool is called next",
        responses={
            200: {"model": NextReply, "description": "The likeliest first."},
            **problems(404),
        },
    )
    async def next_tools(request: Request, wanted: For, body: NextRequest) -> Response:
        """Say what followed these tools before, or is declared to follow them."""
        whom = wanted_in(request, wanted, body.places)
        subject = ", ".join(body.tools)
        scope = house.enter(visit_of(request), whom, Role.SEARCH, "predict tools", subject)
        found = await house.sextant.toolbox.next_tools(scope, body.tools, body.limit)
        return json_reply(next_of(found))


def _find_path(operations: Operations, house: House) -> None:
    @operations.on(
        "GET",
        "/api/tools/path",
        operation_id="findToolPath",
        summary="Find the shortest way between two tools",
        responses={**kept(ToolPathReply, "Both ends and all between."), **problems(404)},
    )
    async def find_tool_path(request: Request, wanted: For, start: Start, end: End) -> Response:
        """Follow relations, declared, imported and learnt, the surest counting as the shortest."""
        subject = f"{start}, {end}"
        scope = house.enter(visit_of(request), wanted, Role.READ, "find tool path", subject)
        found = await house.sextant.toolbox.tool_path(scope, start, end)
        return tagged(request, tool_path_of(found))
