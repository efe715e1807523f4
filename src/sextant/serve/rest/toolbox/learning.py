"""How tools are used: record it, forget it, count it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from sextant.limits import DEFAULT
from sextant.serve.caller import Role
from sextant.serve.house import House
from sextant.serve.rest.openapi.schemas import problems
from sextant.serve.rest.request.common_parameters import For, visit_of, wanted_in
from sextant.serve.rest.request.parameters import in_query
from sextant.serve.rest.request.replies import json_reply
from sextant.serve.rest.request.routing import Operations
from sextant.serve.wire.common.models import MOST_LISTED, Id, Wire
from sextant.serve.wire.common.whom import Whom
from sextant.serve.wire.toolbox.learning import (
    Increment,
    RecordedReply,
    UsageReply,
    UseShape,
    recorded_of,
)

_USES = "/api/tools/uses"
UseIds = Annotated[
    tuple[Annotated[str, Field(min_length=1, max_length=DEFAULT.id)], ...],
    in_query("id"),
    Field(
        min_length=1,
        max_length=MOST_LISTED,
        description="The id of a use; several times for several.",
        examples=[["use-1"]],
    ),
]


class UsesRequest(Whom):
    """Sessions of tool calls."""

    uses: Annotated[list[UseShape], Field(min_length=1, max_length=MOST_LISTED)]


class UsageRequest(Whom):
    """A tool, and how often it was used since it was counted last."""

    tool: Id = Field(examples=["github.createPullRequest"])
    increment: Increment = 1


class ForgottenReply(Wire):
    """How many uses were there, and are forgotten now."""

    forgotten: int


def routes(house: House) -> Operations:
    """Return what can be said of the use of tools."""
    operations = Operations("tools")
    _record(operations, house)
    _forget(operations, house)
    _count(operations, house)
    return operations


def _record(operations: Operations, house: House) -> None:
    @operations.on(
        "POST",
        _USES,
        operation_id="recordToolUses",
        summary="Record which tools were called for what",
        responses={
            200: {"model": RecordedReply, "description": "What of it is new."},
            **problems(),
        },
    )
    async def record_tool_uses(request: Request, wanted: For, body: UsesRequest) -> Response:
        """Learn from sessions: counts, co-use, order and time between calls.

        A use that comes again under its id counts once. Tools that are not there are named, and the
        others count.
        """
        whom = wanted_in(request, wanted, body.places)
        subject = f"{len(body.uses)} uses"
        scope = house.enter(visit_of(request), whom, Role.SEARCH, "record tool uses", subject)
        uses = [one.tool_use(scope.user) for one in body.uses]
        recorded = await house.sextant.toolbox.record_known_uses(scope, uses)
        return json_reply(recorded_of(uses, recorded))


def _forget(operations: Operations, house: House) -> None:
    @operations.on(
        "DELETE",
        _USES,
        operation_id="forgetToolUses",
        summary="Forget uses and all that was learnt of them",
        responses={
            200: {"model": ForgottenReply, "description": "As if they had never been."},
            **problems(),
        },
    )
    async def forget_tool_uses(request: Request, wanted: For, ids: UseIds) -> Response:
        """Take uses back, by the ids under which they were recorded."""
        subject = ", ".join(ids)
        scope = house.enter(visit_of(request), wanted, Role.WRITE, "forget tool uses", subject)
        forgotten = await house.sextant.toolbox.forget_uses(scope, list(dict.fromkeys(ids)))
        return json_reply({"forgotten": forgotten})


def _count(operations: Operations, house: House) -> None:
    @operations.on(
        "POST",
        "/api/tools/usage",
        operation_id="updateToolUsage",
        summary="Add to the usage of a tool",
        responses={
            200: {"model": UsageReply, "description": "How often it was used by now."},
            **problems(404),
        },
    )
    async def update_tool_usage(request: Request, wanted: For, body: UsageRequest) -> Response:
        """Add to the usage by which equals are ranked, without a session to learn from."""
        whom = wanted_in(request, wanted, body.places)
        scope = house.enter(visit_of(request), whom, Role.SEARCH, "update tool usage", body.tool)
        usage = await house.sextant.toolbox.update_usage(scope, body.tool, body.increment)
        return json_reply({"tool": body.tool, "usageCount": usage})
