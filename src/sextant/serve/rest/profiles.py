"""Ranking profiles: ways to rank that are saved for a persona, or for all of a tenant."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from sextant.errors import Forbidden
from sextant.limits import DEFAULT
from sextant.retrieval.profiles.saved import Check, Profile, Saved
from sextant.serve.caller import Role, Wanted
from sextant.serve.house import House, Note
from sextant.serve.rest.openapi.schemas import kept, problems
from sextant.serve.rest.request.common_parameters import For, visit_of, wanted_in
from sextant.serve.rest.request.parameters import in_header, in_path
from sextant.serve.rest.request.replies import check_unchanged, json_reply, tag_of, tagged
from sextant.serve.rest.request.routing import Operations
from sextant.serve.wire.common.models import FourWeights, Weight, Wire, four_of
from sextant.serve.wire.common.whom import Whom
from sextant.types import Scope

ProfileName = Annotated[
    str, in_path(), Field(min_length=1, max_length=DEFAULT.id, description="What requests call it.")
]
IfMatch = Annotated[
    str | None,
    in_header("If-Match"),
    Field(description="Change it only if its ETag is still this one."),
]
IfNoneMatch = Annotated[
    str | None, in_header("If-None-Match"), Field(description="`*`: save it only if there is none.")
]


class ProfileRequest(Whom):
    """How to rank: what each R counts for, and after how many days a document is half as recent."""

    weights: FourWeights = FourWeights()
    half_life_days: Annotated[float, Field(ge=0.01, le=1e6, allow_inf_nan=False)] | None = Field(
        None, description="Left out, it is as `ask.half_life_days` is set."
    )
    default: bool = Field(False, description="Rank by it wherever no other is asked for.")


class WeightsShape(Wire):
    """What each of the four R counts for; only their proportions matter."""

    relevancy: Weight
    recency: Weight
    richness: Weight
    reputation: Weight


class ProfileShape(Wire):
    """A saved profile; without a persona it is for all."""

    weights: WeightsShape
    half_life_days: float
    default: bool
    name: str
    persona: str


class ProfilesShape(Wire):
    """The profiles of a persona, then those for all."""

    profiles: list[ProfileShape]


def routes(house: House) -> Operations:
    """Return what can be done with ranking profiles."""
    operations = Operations("profiles")
    _list(operations, house)
    _get(operations, house)
    _save(operations, house)
    _delete(operations, house)
    return operations


def _list(operations: Operations, house: House) -> None:
    @operations.on(
        "GET",
        "/api/profiles",
        operation_id="listProfiles",
        summary="List ranking profiles",
        responses={
            **kept(ProfilesShape, "Those that the persona can rank by."),
            **problems(),
        },
    )
    async def list_profiles(request: Request, wanted: For) -> Response:
        """List the profiles of a persona, then those for all."""
        scope = house.enter(visit_of(request), wanted, Role.SEARCH, "list profiles")
        found = await house.sextant.profiles(scope)
        return tagged(request, {"profiles": [_value(one) for one in found]})


def _get(operations: Operations, house: House) -> None:
    @operations.on(
        "GET",
        "/api/profiles/{name:path}",
        operation_id="getProfile",
        summary="Read a ranking profile",
        responses={
            **kept(ProfileShape, "The profile."),
            **problems(404),
        },
    )
    async def get_profile(request: Request, wanted: For, name: ProfileName) -> Response:
        """Read the profile that a request with this name would rank by."""
        scope = house.enter(visit_of(request), wanted, Role.SEARCH, "read profile", name)
        saved = Saved(tuple(await house.sextant.profiles(scope)))
        return tagged(request, _value(saved.find(name)))


def _save(operations: Operations, house: House) -> None:
    @operations.on(
        "PUT",
        "/api/profiles/{name:path}",
        operation_id="saveProfile",
        summary="Save a ranking profile",
        responses={
            200: {"model": ProfileShape, "description": "It is saved."},
            **problems(409, 412),
        },
    )
    async def save_profile(
        request: Request,
        wanted: For,
        name: ProfileName,
        body: ProfileRequest,
        if_match: IfMatch = None,
        if_none_match: IfNoneMatch = None,
    ) -> Response:
        """Save a profile for the persona that is named, or for all, in place of one of its name.

        With `If-Match` it is saved only if nobody changed it since it was read.
        """
        whom = wanted_in(request, wanted, body.places)
        scope = _entered(house, request, whom, "save profile", name)
        usual = house.settings.ask
        weights = body.weights.preferences.over(usual.weights)
        days = usual.half_life_days if body.half_life_days is None else body.half_life_days
        profile = Profile(name, weights, days, default=body.default)
        saved = await house.sextant.save_profile(
            scope, profile, _unless_changed(if_match, if_none_match)
        )
        value = _value(saved)
        return json_reply(value, headers={"etag": tag_of(value)})


def _delete(operations: Operations, house: House) -> None:
    @operations.on(
        "DELETE",
        "/api/profiles/{name:path}",
        operation_id="deleteProfile",
        summary="Delete a ranking profile",
        responses={204: {"description": "It is gone."}, **problems(404, 409, 412)},
    )
    async def delete_profile(
        request: Request, wanted: For, name: ProfileName, if_match: IfMatch = None
    ) -> Response:
        """Delete a profile of the persona that is named, or one for all."""
        scope = _entered(house, request, wanted, "delete profile", name)
        await house.sextant.delete_profile(scope, name, _unless_changed(if_match))
        return Response(status_code=204)


def _entered(house: House, request: Request, wanted: Wanted, verb: str, name: str) -> Scope:
    """Return for whom profiles are changed; for all it takes who acts for all, or who runs it."""
    visit = visit_of(request)
    scope = house.enter(visit, wanted, Role.WRITE, verb, name)
    is_admin = Role.ADMIN in visit.caller.roles
    if is_admin and not wanted.personas:
        return replace(scope, personas=frozenset())
    if not scope.personas and not is_admin and scope.acts_for is not None:
        refused = Forbidden(
            "This caller may not rank for all personas.",
            "Name one of its own, or use a key for all personas or with Sextant.Admin.",
        )
        house.audit.note(Note(visit, scope, verb, name, refused.message))
        raise refused
    return scope


def _unless_changed(if_match: str | None, if_none_match: str | None = None) -> Check:
    """Return what refuses a change of another state than the client knows."""

    def check(profile: Profile | None) -> None:
        check_unchanged(tag_of(_value(profile)) if profile else None, if_match, if_none_match)

    return check


def _value(profile: Profile) -> dict[str, Any]:
    return {
        "name": profile.name,
        "weights": four_of(profile.weights),
        "halfLifeDays": profile.half_life_days,
        "default": profile.default,
        "persona": profile.persona,
    }
