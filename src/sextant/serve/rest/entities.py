"""Entities: find them by name, read one with what is said of it, follow relations."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from sextant.errors import NotFound
from sextant.limits import DEFAULT
from sextant.serve.around import entity_page, expanded
from sextant.serve.caller import Role
from sextant.serve.house import House
from sextant.serve.rest.openapi.schemas import kept, problems
from sextant.serve.rest.request.common_parameters import (
    All,
    For,
    Limit,
    to_read,
    visit_of,
    wanted_in,
)
from sextant.serve.rest.request.parameters import in_path, in_query
from sextant.serve.rest.request.replies import json_reply, tagged
from sextant.serve.rest.request.routing import Operations
from sextant.serve.wire.common.models import WHOLE, Id, Ids
from sextant.serve.wire.common.whom import Whom
from sextant.serve.wire.knowledge import EntityPage, Expanded, FoundEntities, match_of
from sextant.types import Direction, NameMode, Walk

_MOST_FOUND = 100
_FIND = "Find one by GET /api/entities?name=…"

Named = Annotated[
    str,
    in_query(),
    Field(min_length=1, max_length=DEFAULT.name, description="A name, or a part of one."),
]
Mode = Annotated[
    Literal["exact", "prefix", "word", "fuzzy", "any"],
    in_query(),
    Field(description="How the name must fit; any is exact, then prefix, word and fuzzy."),
]
Found = Annotated[int, in_query(), Field(ge=1, le=_MOST_FOUND, description="How many at most.")]
EntityId = Annotated[
    str,
    in_path(),
    Field(
        max_length=DEFAULT.id,
        description="Percent-encoded where it holds more than letters, digits, `/`, `.`, `-`, `_`.",
        examples=["component:default/service-a"],
    ),
]


class ExpandRequest(Whom):
    """From whom to go, how far, along which relations."""

    entity_ids: Annotated[list[Id], Field(min_length=1, max_length=100)] = Field(
        description="Ids of entities, or their names.",
        examples=[["component:default/service-a"]],
    )
    hops: Annotated[int, Field(ge=1, le=DEFAULT.hops), WHOLE] = 1
    direction: Literal["out", "in", "both"] = "both"
    kinds: Ids = Field([], description="Only these kinds of relations; none given is all.")
    limit: Annotated[int, Field(ge=1, le=1_000), WHOLE] = 100

    @property
    def walk(self) -> Walk:
        """How to leave the entities."""
        return Walk(frozenset(self.kinds), Direction(self.direction), self.hops, limit=self.limit)


def routes(house: House) -> Operations:
    """Return what can be done with entities."""
    operations = Operations("knowledge")
    _find(operations, house)
    _get(operations, house)
    _expand(operations, house)
    return operations


def _find(operations: Operations, house: House) -> None:
    @operations.on(
        "GET",
        "/api/entities",
        operation_id="findEntities",
        summary="Find entities by name",
        responses={
            **kept(FoundEntities, "Those whose names fit, best first."),
            **problems(),
        },
    )
    async def find_entities(
        request: Request,
        wanted: For,
        name: Named,
        mode: Mode = "any",
        limit: Found = 10,
        is_all: All = False,
    ) -> Response:
        """Find who bears a name, whose name starts so or holds it, or is spelt nearly so."""
        role = to_read(is_all)
        scope = house.enter(visit_of(request), wanted, role, "find entities", name)
        if mode == "any":
            found = await house.sextant.find(scope, name, limit)
        else:
            found = (await house.sextant.lookup(scope, [name], NameMode(mode), limit))[name]
        return tagged(request, {"entities": [match_of(one) for one in found]})


def _get(operations: Operations, house: House) -> None:
    @operations.on(
        "GET",
        "/api/entities/{entity_id:path}",
        operation_id="getEntity",
        summary="Read an entity and what is said of it",
        responses={
            **kept(EntityPage, "The entity and its strongest relations."),
            **problems(404),
        },
    )
    async def get_entity(
        request: Request, wanted: For, entity_id: EntityId, limit: Limit = 30, is_all: All = False
    ) -> Response:
        """Read an entity's names and fields, its relations, and the sentence that says each."""
        role = to_read(is_all)
        scope = house.enter(visit_of(request), wanted, role, "read entity", entity_id)
        found = await house.sextant.entities(scope, [entity_id]) if entity_id else {}
        if entity_id not in found:
            raise NotFound(f"There is no entity {entity_id[:80]!r}.", _FIND)
        return tagged(request, await entity_page(house.sextant, scope, found[entity_id], limit))


def _expand(operations: Operations, house: House) -> None:
    @operations.on(
        "POST",
        "/api/expand",
        operation_id="expand",
        summary="Follow relations from entities",
        responses={
            200: {"model": Expanded, "description": "Nearest and strongest first."},
            **problems(404),
        },
    )
    async def expand(request: Request, wanted: For, body: ExpandRequest) -> Response:
        """Follow edges from entities, with the chunks and the sentence that say each."""
        subject = ", ".join(body.entity_ids)
        whom = wanted_in(request, wanted, body.places)
        scope = house.enter(visit_of(request), whom, Role.READ, "expand", subject)
        return json_reply(await expanded(house.sextant, scope, body.entity_ids, body.walk, _FIND))
