"""How tools belong together, as people declare it: say it, take it back."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from sextant.errors import InvalidInput
from sextant.limits import DEFAULT
from sextant.serve.caller import Role
from sextant.serve.house import House
from sextant.serve.rest.openapi.schemas import problems
from sextant.serve.rest.request.common_parameters import For, visit_of, wanted_in
from sextant.serve.rest.request.parameters import in_query
from sextant.serve.rest.request.replies import json_reply
from sextant.serve.rest.request.routing import Operations
from sextant.serve.wire.common.models import Id
from sextant.serve.wire.common.pascal import Moment
from sextant.serve.wire.common.whom import Whom
from sextant.serve.wire.toolbox.nouns import KindName, ToolRelationShape, tool_relation_of
from sextant.types import ToolLink, ToolRelation

_RELATIONS = "/api/tools/relations"
_MERGE, _ISSUE = "github.mergePullRequest", "jira.transitionIssue"
_LONGEST_S = 10 * 365 * 86_400
"""Seconds between two calls: ten years, by when nobody waits for the second."""


class RelationRequest(Whom):
    """How one tool belongs to another; what does not apply to its kind is left out."""

    source: Id = Field(examples=[_MERGE])
    kind: KindName = Field(examples=["PRECEDES"])
    target: Id = Field(examples=[_ISSUE])
    confidence: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = Field(
        None, description="How surely; none counts 1."
    )
    required: bool = Field(
        True, description="Of DEPENDS_ON: whether the source cannot do without the target."
    )
    reason: Annotated[str, Field(max_length=DEFAULT.name)] = ""
    avg_time_between: Annotated[float, Field(ge=0, le=_LONGEST_S, allow_inf_nan=False)] | None = (
        Field(None, description="Of PRECEDES: seconds.")
    )
    version: Annotated[str, Field(max_length=DEFAULT.id)] = Field("", description="Of REPLACES.")
    deprecated_at: Moment | None = Field(None, description="Of REPLACES.")

    @property
    def relation(self) -> ToolRelation:
        """The relation as the core takes it."""
        return ToolRelation(
            self.source,
            self.target,
            ToolLink(self.kind),
            self.confidence,
            required=self.required,
            reason=self.reason,
            seconds_between=self.avg_time_between,
            version=self.version,
            deprecated_at=self.deprecated_at,
        )


Source = Annotated[
    str, in_query(), Field(min_length=1, max_length=DEFAULT.id, examples=["github.createRelease"])
]
Kind = Annotated[KindName, in_query(), Field(examples=["DEPENDS_ON"])]
Target = Annotated[
    str, in_query(), Field(min_length=1, max_length=DEFAULT.id, examples=["github.authenticate"])
]


def routes(house: House) -> Operations:
    """Return what can be said of how tools belong together."""
    operations = Operations("tools")
    _relate(operations, house)
    _unrelate(operations, house)
    return operations


def _relate(operations: Operations, house: House) -> None:
    @operations.on(
        "PUT",
        _RELATIONS,
        operation_id="relateTools",
        summary="Say how two tools belong together",
        responses={
            200: {"model": ToolRelationShape, "description": "It holds from now on."},
            **problems(404, 409),
        },
    )
    async def relate_tools(request: Request, wanted: For, body: RelationRequest) -> Response:
        """Declare a relation, in place of one of the same kind between the same tools."""
        whom = wanted_in(request, wanted, body.places)
        relation = body.relation
        subject = f"{relation.source} {relation.kind} {relation.target}"
        scope = house.enter(visit_of(request), whom, Role.WRITE, "relate tools", subject)
        if relation.source == relation.target:
            raise InvalidInput("A tool cannot be related to itself.", "Name two tools.")
        await house.sextant.toolbox.relate(scope, relation)
        return json_reply(tool_relation_of(relation))


def _unrelate(operations: Operations, house: House) -> None:
    @operations.on(
        "DELETE",
        _RELATIONS,
        operation_id="unrelateTools",
        summary="Take back how two tools belong together",
        responses={204: {"description": "It is gone."}, **problems(404, 409)},
    )
    async def unrelate_tools(
        request: Request, wanted: For, source: Source, kind: Kind, target: Target
    ) -> Response:
        """Delete a declared or imported relation; an import brings an imported one back."""
        subject = f"{source} {kind} {target}"
        scope = house.enter(visit_of(request), wanted, Role.WRITE, "unrelate tools", subject)
        await house.sextant.toolbox.unrelate(scope, source, ToolLink(kind), target)
        return Response(status_code=204)
