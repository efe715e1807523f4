"""For whom a copilot asks, and what: the same whichever protocol it speaks."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.datastructures import QueryParams
from starlette.types import Scope as ScopeOfAsgi

from sextant.serve.caller import NOBODY, Wanted, agreed
from sextant.serve.house import Visit
from sextant.types import Json, RunRequest, Speaker, TextMessage


def asked_for(scope: ScopeOfAsgi, properties: Mapping[str, Json] | None = None) -> Wanted:
    """Return for whom the address and the properties of a request say that it is."""
    visit: Visit = scope["state"]["visit"]
    return agreed(visit.caller, _in_address(scope), _in_properties(properties or {}))


def wanted_in(request: RunRequest) -> Wanted:
    """Return for whom the properties of a run say that it is; else it is for the caller."""
    return _in_properties(request.properties)


def _in_properties(given: Mapping[str, Json]) -> Wanted:
    several = given.get("personaIds")
    personas = [given.get("personaId"), *(several if isinstance(several, list) else ())]
    return Wanted(
        _text(given.get("tenantId")),
        frozenset(filter(None, map(_text, personas))),
        _text(given.get("aadObjectId")),
    )


def subject_of(request: RunRequest) -> str:
    """Return what is asked, for the audit log: what the user wrote last."""
    asked = (
        one.text
        for one in reversed(request.messages)
        if isinstance(one, TextMessage) and one.speaker is Speaker.USER
    )
    return next(asked, "")


def _in_address(scope: ScopeOfAsgi) -> Wanted:
    """Return for whom an address says that it is asked, by the names that REST has for it."""
    if not scope.get("query_string"):
        return NOBODY
    given = QueryParams(scope["query_string"])
    personas = filter(None, given.getlist("personaId"))
    return Wanted(given.get("tenantId", ""), frozenset(personas), given.get("aadObjectId", ""))


def _text(value: Json | None) -> str:
    return value if isinstance(value, str) else ""
