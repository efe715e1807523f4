"""For whom a copilot asks, and what: the same whichever protocol it speaks."""

from __future__ import annotations

from sextant.serve.caller import Wanted
from sextant.types import Json, RunRequest, Speaker, TextMessage


def wanted_in(request: RunRequest) -> Wanted:
    """Return for whom the properties of a run say that it is; else it is for the caller."""
    given = request.properties
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


def _text(value: Json | None) -> str:
    return value if isinstance(value, str) else ""
