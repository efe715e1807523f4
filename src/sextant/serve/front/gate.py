"""The gate: nobody passes without a caller, but for a few open paths. Knows no way of proof."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sextant.errors import RateLimited, SextantError, Unauthenticated
from sextant.serve.caller import Role
from sextant.serve.front.paths import address_called, address_of, door_of, is_open
from sextant.serve.front.problem import Problem, problem_of, request_id_of
from sextant.serve.guards.rates import Rates
from sextant.serve.house import Identity, Visit
from sextant.serve.identity.metadata import INSUFFICIENT, challenge
from sextant.settings import Settings

_FAILURES_PER_MINUTE = 120
_CHALLENGE = "www-authenticate"


class Gate:
    """Finds out who came in, and puts a Visit into the state of the request.

    Whoever fails is told how to do better; who does so with wrong tokens too often has to wait.
    """

    def __init__(self, app: ASGIApp, identity: Identity, settings: Settings) -> None:
        self._app, self._identity, self._settings = app, identity, settings
        self._failures = Rates(_FAILURES_PER_MINUTE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or refuse it."""
        if is_open(scope["path"]):
            await self._app(scope, receive, send)
            return
        token = token_of(scope)
        try:
            caller = await self._identity.caller(token)
        except Unauthenticated as refused:
            await self._problem(refused, scope, token)(scope, receive, send)
            return
        except SextantError as error:
            await problem_of(error)(scope, receive, send)
            return
        scope["state"]["visit"] = Visit(caller, request_id_of(scope), door_of(scope["path"]))
        await self._app(scope, receive, self._challenging(scope, send))

    def _problem(self, refused: Unauthenticated, scope: Scope, token: str | None) -> Problem:
        error = "invalid_token" if token else ""
        how = ((_CHALLENGE, self._challenge(scope, error)),)
        # Who brings no token guesses none; behind one address there may be many who begin so.
        wait = self._failures.take(address_of(scope)) if token else 0.0
        if wait:
            often = RateLimited("Too many wrong tokens came from this address.", "Wait.", wait)
            return problem_of(often, how)
        return problem_of(refused, how)

    def _challenging(self, scope: Scope, send: Send) -> Send:
        """Return a send that tells a caller which lacks a role where to ask for one."""

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 403:
                needs = scope["state"].get("needs", ())
                told_how = self._challenge(scope, INSUFFICIENT, needs)
                MutableHeaders(scope=message).setdefault(_CHALLENGE, told_how)
            await send(message)

        return told

    def _challenge(self, scope: Scope, error: str, needs: Iterable[Role] = ()) -> str:
        called = address_called(scope, self._settings)
        return challenge(self._settings, error, public_url=called, needs=needs)


def token_of(scope: Scope) -> str | None:
    """Return the bearer token that a request brings, if it brings one."""
    kind, _, token = Headers(scope=scope).get("authorization", "").partition(" ")
    return token.strip() or None if kind.lower() == "bearer" else None
