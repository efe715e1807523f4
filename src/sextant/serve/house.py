"""What all doors share, and the one way in: a visit becomes a Scope, and the audit log knows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sextant.core import Sextant
from sextant.errors import Denied
from sextant.serve.caller import NOBODY, Caller, Role, Wanted, operator_scope, require, scope_of
from sextant.serve.jobs import Jobs
from sextant.serve.records.idempotency import Replies
from sextant.serve.records.logs import log_tenant
from sextant.settings import Settings
from sextant.spans import Tracer
from sextant.types import Scope


class Identity(Protocol):
    """Knows whose a token is."""

    async def caller(self, token: str | None) -> Caller:
        """Return who came in, or raise Unauthenticated."""

    async def close(self) -> None:
        """Let go of what is open."""


class Audit(Protocol):
    """Writes down who asked what of which tenant."""

    def note(self, note: Note) -> None:
        """Note one verb."""

    def close(self) -> None:
        """Let go of the file."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One request that came in: who, under which id, through which door."""

    caller: Caller
    request_id: str
    door: str


@dataclass(frozen=True, slots=True)
class Note:
    """A verb that was done, or refused: by whom, for whom, and of what.

    The subject is what was asked or named, never a document's text. Of what was refused, it is
    told for whom it was wanted.
    """

    visit: Visit
    scope: Scope
    verb: str
    subject: str
    refused: str = ""
    wanted: Wanted = NOBODY


@dataclass(frozen=True, slots=True)
class Porch:
    """What stands before a door, whatever is behind it."""

    settings: Settings
    identity: Identity
    audit: Audit
    tracer: Tracer | None

    def enter(
        self, visit: Visit, wanted: Wanted, role: Role, verb: str, subject: str = "", *also: Role
    ) -> Scope:
        """Return for whom a verb is done, if it may be; both ways it is written down."""
        try:
            require(visit.caller, role, *also)
            if role == Role.ADMIN:
                scope = operator_scope(visit.caller, wanted)
            else:
                scope = scope_of(visit.caller, wanted, role)
        except Denied as denied:
            own = Scope(visit.caller.tenant, user=visit.caller.user)
            self.audit.note(Note(visit, own, verb, subject, denied.message, wanted))
            raise
        self.audit.note(Note(visit, scope, verb, subject))
        log_tenant(visit.request_id, scope.tenant)
        return scope


@dataclass(frozen=True, slots=True)
class House(Porch):
    """What the doors of a whole Sextant need."""

    sextant: Sextant
    jobs: Jobs
    replies: Replies
