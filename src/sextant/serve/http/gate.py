"""The gate: nobody passes without a caller, but where a door is open. Knows no way of proof."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sextant.errors import RateLimited, SextantError, Unauthenticated
from sextant.serve.door import Scheme, door_of
from sextant.serve.guards.limits.rates import Rates
from sextant.serve.house import Visit
from sextant.serve.http.paths import address_of
from sextant.serve.http.problem import Problem, problem_of, request_id_of
from sextant.serve.identity.metadata import INSUFFICIENT

_FAILURES_PER_MINUTE = 120
_CHALLENGE = "www-authenticate"


class Gate:
    """Finds out who came in, and puts a Visit into the state of the request.

    Whoever fails is told how to do better; who does so with wrong tokens too often has to wait.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._failures = Rates(_FAILURES_PER_MINUTE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or refuse it."""
        door = door_of(scope)
        if door.is_open(scope["path"]):
            await self._app(scope, receive, send)
            return
        try:
            caller = await door.scheme.caller(scope)
        except Unauthenticated as refused:
            await self._problem(refused, scope, door.scheme)(scope, receive, send)
            return
        except SextantError as error:
            await problem_of(error)(scope, receive, send)
            return
        scope["state"]["visit"] = Visit(caller, request_id_of(scope), door.name)
        await self._app(scope, receive, _challenging(scope, door.scheme, send))

    def _problem(self, refused: Unauthenticated, scope: Scope, scheme: Scheme) -> Problem:
        has_proof = scheme.brings_proof(scope)
        how = ((_CHALLENGE, scheme.challenge(scope, "invalid_token" if has_proof else "")),)
        # Who brings no token guesses none; behind one address there may be many who begin so.
        wait = self._failures.take(address_of(scope)) if has_proof else 0.0
        if wait:
            often = RateLimited("Too many wrong tokens came from this address.", "Wait.", wait)
            return problem_of(often, how)
        return problem_of(refused, how)


def _challenging(scope: Scope, scheme: Scheme, send: Send) -> Send:
    """Return a send that tells a caller which lacks a role where to ask for one."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == 403:
            told_how = scheme.challenge(scope, INSUFFICIENT, scope["state"].get("needs", ()))
            MutableHeaders(scope=message).setdefault(_CHALLENGE, told_how)
        await send(message)

    return sent
