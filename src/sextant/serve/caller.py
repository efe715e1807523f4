"""Who came in and what that lets them do: from a Caller and what it names to a Scope."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from sextant.errors import Forbidden, InvalidInput
from sextant.types import CURATOR, OPERATOR, Scope


class Role(StrEnum):
    """What a key or a token may allow."""

    SEARCH = "RAGPipeline.SearchAccess"
    READ = "KnowledgeStore.ReadAccess"
    WRITE = "KnowledgeStore.WriteAccess"
    MODEL = "LlmOrchestration.Access"
    CALL = "Toolbox.CallAccess"
    ADMIN = "Sextant.Admin"
    ON_BEHALF = "OnBehalf"

    @property
    def short(self) -> str:
        """What `sextant keys create --role` takes."""
        return self.name.lower().replace("_", "-")


EVERY_ROLE = frozenset(Role)


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever came in. The name is for the audit log and for limits; no personas are all of them.

    A token lasts until ``expires``, in seconds since 1970; 0 is for ever.
    """

    name: str
    tenant: str
    user: str | None = None
    personas: frozenset[str] | None = None
    roles: frozenset[Role] = frozenset()
    expires: float = 0.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """For whom a request says that it asks; empty where it says nothing."""

    tenant: str = ""
    personas: frozenset[str] = frozenset()
    user: str = ""


NOBODY = Wanted()


def agreed(caller: Caller | None, *places: Wanted) -> Wanted:
    """Return for whom all places of a request say that it asks, or refuse two that disagree.

    Of a caller who may name nobody else, the other one counts, so that it is refused as such.
    """
    if all(one == NOBODY for one in places):
        return NOBODY
    tenants, users = (
        _without_blanks(one.tenant for one in places),
        _without_blanks(one.user for one in places),
    )
    if caller and Role.ON_BEHALF not in caller.roles:
        tenants, users = _others(tenants, caller.tenant), _others(users, caller.user)
    personas = [*dict.fromkeys(one.personas for one in places if one.personas)]
    if len(personas) > 1:
        raise InvalidInput(
            "Two places of the request name different personas.",
            "Name them in one place, in the address or in the body.",
        )
    return Wanted(_one("tenants", tenants), next(iter(personas), frozenset()), _one("users", users))


def scope_of(caller: Caller, wanted: Wanted, role: Role) -> Scope:
    """Return for whom a caller asks, if it may do so in this role."""
    require(caller, role)
    is_trusted = Role.ON_BEHALF in caller.roles
    if wanted.tenant and wanted.tenant != caller.tenant and not is_trusted:
        raise Forbidden("This caller may not name that tenant.", "Leave it out, or use its key.")
    if wanted.user and wanted.user != caller.user and not is_trusted:
        raise Forbidden("This caller may not name that user.", "Leave it out, or use OnBehalf.")
    return Scope(
        wanted.tenant or caller.tenant,
        _personas(caller, wanted.personas),
        wanted.user or caller.user,
        frozenset({CURATOR}) if Role.ADMIN in caller.roles else frozenset(),
        acts_for=caller.personas,
    )


def operator_scope(caller: Caller, wanted: Wanted) -> Scope:
    """Return the scope of an administrator, for whom no persona hides anything of its tenant."""
    scope = scope_of(caller, wanted, Role.ADMIN)
    return Scope(scope.tenant, scope.personas, scope.user, frozenset({OPERATOR}))


def require(caller: Caller, *roles: Role) -> None:
    """Refuse a caller that lacks one of some roles; all of them are named."""
    if caller.roles.issuperset(roles):
        return
    named = " and ".join(roles)
    given = " ".join(f"--role {role.short}" for role in roles)
    raise Forbidden(
        f"This needs the role{'s' if len(roles) > 1 else ''} {named}.",
        f"Ask for a token that has {'them' if len(roles) > 1 else 'it'}, or a key: "
        f"`sextant keys create --name NAME {given}`.",
    )


def _without_blanks(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, names)))


def _others(names: list[str], own: str | None) -> list[str]:
    """Return one that is not the caller's own, or else that."""
    return [*(name for name in names if name != own), *names][:1]


def _one(what: str, names: list[str]) -> str:
    if len(names) > 1:
        raise InvalidInput(
            f"The request names two {what}.", "Name one, in the address or in the body."
        )
    return next(iter(names), "")


def _personas(caller: Caller, wanted: frozenset[str]) -> frozenset[str]:
    """Return as whom to ask: as those that are named, or else as all that a caller has.

    Who asks on behalf of others, or may use every persona, says as whom, or asks as none.
    """
    if caller.personas is None:
        return wanted
    if not wanted <= caller.personas:
        raise Forbidden("This caller may not use that persona.", "Use its own ones.")
    return wanted if Role.ON_BEHALF in caller.roles else wanted or caller.personas
