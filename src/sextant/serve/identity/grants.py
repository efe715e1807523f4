"""From names to roles and personas: what a key is given and what a token claims mean the same.

Knows neither keys nor tokens.
"""

from __future__ import annotations

from collections.abc import Iterable

from sextant.serve.caller import Role

EVERY_PERSONA = "*"
BY_SCOPE = (Role.SEARCH, Role.READ, Role.WRITE, Role.MODEL, Role.CALL)
"""What a scope can give: it says what an app may do for any user, so it makes nobody trusted."""


def roles_of(names: Iterable[str]) -> frozenset[Role]:
    """Return the roles among these names; others belong to somebody else's application."""
    known = {role.value: role for role in Role}
    return frozenset(known[name] for name in names if name in known)


def personas_of(names: Iterable[str], roles: frozenset[Role]) -> frozenset[str] | None:
    """Return which personas may be used; None is all of them.

    Where none is named there is none, but for who asks on behalf of others.
    """
    named = frozenset(names)
    is_trusted_with_all = not named and Role.ON_BEHALF in roles
    return None if EVERY_PERSONA in named or is_trusted_with_all else named
