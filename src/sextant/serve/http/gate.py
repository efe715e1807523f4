"""The gate: nobody passes without a caller, but where a door is open. Knows no way of proof."""

from __future__ import annotations

import time
from collections.abc import Callable

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sextant.errors import RateLimited, SextantError, Unauthenticated
from sextant.serve.caller import Caller
from sextant.serve.door import Scheme, door_of
from sextant.serve.guards.limits.rates import Rates
from sextant.serve.house import Audit, Note, Visit
from sextant.serve.http.paths import address_of
from sextant.serve.http.problem import Problem, problem_of, request_id_of
from sextant.serve.identity.metadata import INSUFFICIENT
from sextant.types import Scope as Asking

_FAILURES_PER_MINUTE = 120
_NOTED_PER_MINUTE = 10
"""Lines of the audit log for one address: enough to see an attack, and when it was."""
_NOTED_IN_ALL = 600
"""Of all addresses, so that many of them do not push out what callers did: 200 bytes a line make
170 MB a day at most."""
_CHALLENGE = "www-authenticate"


class Gate:
    """Finds out who came in, and puts a Visit into the state of the request.

    Whoever fails is told how to do better; who does so with wrong tokens too often has to wait.
    """

    def __init__(self, app: ASGIApp, audit: Audit) -> None:
        self._app = app
        self._failures = Rates(_FAILURES_PER_MINUTE)
        self._refusals = Refusals(audit)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or refuse it."""
        door = door_of(scope)
        if door.is_open(scope["path"]):
            await self._app(scope, receive, send)
            return
        try:
            caller = await door.scheme.caller(scope)
        except Unauthenticated as refused:
            self._refusals.note(refused, scope, door.name)
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


class Refusals:
    """Notes who was not let in: so often for each address, and for all of them together."""

    def __init__(self, audit: Audit, clock: Callable[[], float] = time.monotonic) -> None:
        self._audit = audit
        self._of_one = Rates(_NOTED_PER_MINUTE, clock=clock)
        self._of_all = Rates(_NOTED_IN_ALL, clock=clock)
        self._left_out = 0

    def note(self, refused: Unauthenticated, scope: Scope, door: str) -> None:
        """Note one, or count it for the next line; of the token nothing is kept."""
        address = address_of(scope)
        if self._of_one.take(address) or self._of_all.take(""):
            self._left_out += 1
            return
        more = f" {self._left_out} more were not noted." if self._left_out else ""
        self._left_out = 0
        visit = Visit(Caller(f"address:{address}", ""), request_id_of(scope), door)
        what = f"{scope['method']} {scope['path']}"
        self._audit.note(Note(visit, Asking(""), "authenticate", what, refused.message + more))


def _challenging(scope: Scope, scheme: Scheme, send: Send) -> Send:
    """Return a send that tells a caller which lacks a role where to ask for one."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == 403:
            told_how = scheme.challenge(scope, INSUFFICIENT, scope["state"].get("needs", ()))
            MutableHeaders(scope=message).setdefault(_CHALLENGE, told_how)
        await send(message)

    return sent
