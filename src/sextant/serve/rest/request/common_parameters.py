"""What many routes ask for in their address: whose knowledge, as whom, and which page of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field
from starlette.requests import Request

from sextant.limits import DEFAULT
from sextant.serve.caller import Role, Wanted, agreed
from sextant.serve.house import Visit
from sextant.serve.rest.request.parameters import Together, in_query

TenantId = Annotated[
    str,
    in_query("tenantId"),
    Field(max_length=DEFAULT.id, description="The tenant; else the token's own."),
]
PersonaId = Annotated[
    tuple[Annotated[str, Field(max_length=DEFAULT.id)], ...],
    in_query("personaId"),
    Field(
        max_length=DEFAULT.personas,
        description="As whom to look: what it may not see is not there. It may be given several "
        "times: what any of them may see is there. Else as all personas of the caller.",
    ),
]
UserId = Annotated[
    str,
    in_query("aadObjectId"),
    Field(
        max_length=DEFAULT.id,
        description="For whom; only a caller with the role OnBehalf may name somebody else.",
    ),
]
All = Annotated[
    bool,
    in_query("all"),
    Field(
        description="Whatever the persona; this needs `Sextant.Admin` (`--role admin`).",
    ),
]
After = Annotated[
    str, in_query(), Field(max_length=DEFAULT.id, description="The last id of the page before.")
]
Limit = Annotated[int, in_query(), Field(ge=1, le=1_000, description="How many at most.")]


def wanted_by(tenant_id: TenantId = "", persona_id: PersonaId = (), user_id: UserId = "") -> Wanted:
    """Return for whom a request says that it asks."""
    return Wanted(tenant_id, frozenset(filter(None, persona_id)), user_id)


def wanted_in(request: Request, address: Wanted, places: Sequence[Wanted]) -> Wanted:
    """Return for whom the address and all places of a body say that it is asked."""
    return agreed(visit_of(request).caller, address, *places)


def to_read(is_all: bool) -> Role:
    """Return the role that it takes to read, whatever the persona or not."""
    return Role.ADMIN if is_all else Role.READ


def visit_of(request: Request) -> Visit:
    """Return who came in; the gate let nobody pass without."""
    visit: Visit = request.scope["state"]["visit"]
    return visit


For = Annotated[Wanted, Together(wanted_by)]
