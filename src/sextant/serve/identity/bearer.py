"""Bearer tokens: how callers prove at most doors who they are. Knows no way to check a token."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.types import Scope

from sextant.serve.caller import Caller, Role
from sextant.serve.house import Identity
from sextant.serve.http.paths import address_called
from sextant.serve.identity.metadata import challenge
from sextant.settings import Settings


class Bearer:
    """Takes the token of a request to an identity, which knows whose it is."""

    def __init__(self, identity: Identity, settings: Settings) -> None:
        self._identity, self._settings = identity, settings

    async def caller(self, scope: Scope) -> Caller:
        """Return whose the token is."""
        return await self._identity.caller(token_of(scope))

    def brings_proof(self, scope: Scope) -> bool:
        """Whether there is a token."""
        return token_of(scope) is not None

    def challenge(self, scope: Scope, error: str = "", needs: Iterable[Role] = ()) -> str:
        """Return what a client is told: where tokens come from, and what was wrong with one."""
        called = address_called(scope, self._settings)
        return challenge(self._settings, error, public_url=called, needs=needs)


def token_of(scope: Scope) -> str | None:
    """Return the bearer token that a request brings, if it brings one."""
    kind, _, token = Headers(scope=scope).get("authorization", "").partition(" ")
    return token.strip() or None if kind.lower() == "bearer" else None
