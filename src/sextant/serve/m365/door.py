"""The door of Microsoft 365: activities of the Bot Framework at one path.

The token is checked before the body is read. What is answered at once goes back in the response;
everything else is accepted, and the replies go to the channel's service.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from microsoft_agents.activity import Activity
from microsoft_agents.hosting.core import ChannelServiceAdapter, TurnContext
from microsoft_agents.hosting.core.authorization import ClaimsIdentity
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from sextant.errors import SextantError
from sextant.serve.door import Door, Limits, limits_of
from sextant.serve.house import House, Visit
from sextant.serve.http.problem import Problem, problem_of
from sextant.serve.m365.activities import answers_at_once, needs_service, read_activity
from sextant.serve.m365.channel.connector import Connectors
from sextant.serve.m365.tokens import Proof, open_tokens, proof_of
from sextant.serve.m365.turns import Turns
from sextant.serve.rest.request.bodies import json_body
from sextant.serve.rest.request.refusals import Refused

PATH = "/api/messages"
_log = logging.getLogger(__name__)
_LEAST_BODY = 4 * 1024 * 1024
"""Bytes of an activity that are read at least, so that a text too long to answer gets a sentence:
more than any channel of Microsoft sends."""
_ONLY_POST = Problem(
    405,
    "method_not_allowed",
    "Method not allowed",
    "Activities are sent by POST here.",
    "Set this address as the messaging endpoint of the bot.",
    (("allow", "POST"),),
)


def open_door(house: House) -> Door:
    """Return the door of Microsoft 365, for the people of a house."""
    tokens, connectors = open_tokens(house.settings), Connectors(house.settings)

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        try:
            yield
        finally:
            await connectors.close()
            await tokens.close()

    return Door(
        name="m365",
        paths=(PATH,),
        app=M365App(house, connectors),
        scheme=tokens,
        limits=_limits(house),
        index={"m365": PATH},
        lifespan=lifespan,
    )


class M365App:
    """What answers at the path."""

    def __init__(self, house: House, connectors: Connectors) -> None:
        self._turns, self._connectors = Turns(house), connectors
        self._adapter = ChannelServiceAdapter(connectors)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take one activity."""
        if scope["method"] != "POST":
            await _ONLY_POST(scope, receive, send)
            return
        proof = proof_of(scope)
        try:
            body = await json_body(Request(scope, receive))
            activity = read_activity(body, proof)
            if needs_service(activity):
                self._connectors.check_service(activity.service_url)
        except Refused as refused:
            await refused.problem(scope, receive, send)
        except SextantError as error:
            await problem_of(error)(scope, receive, send)
        except ClientDisconnect:
            return
        else:
            await self._take(activity, proof, scope, receive, send)

    async def _take(
        self, activity: Activity, proof: Proof, scope: Scope, receive: Receive, send: Send
    ) -> None:
        visit: Visit = scope["state"]["visit"]
        is_waiting = answers_at_once(activity)
        if not is_waiting:
            # A channel waits 15 seconds for this, and a turn may take longer.
            await Response(status_code=202)(scope, receive, send)
        try:
            response = await self._play(activity, proof, visit)
        except SextantError as error:
            if not is_waiting:
                _log.warning("A turn could not begin: %s", error)
                return
            response = problem_of(error).encoded(scope)
        if is_waiting:
            await response(scope, receive, send)

    async def _play(self, activity: Activity, proof: Proof, visit: Visit) -> Response:
        """Let the SDK's adapter play a turn, and return what goes back with the response."""

        async def on_turn(context: TurnContext) -> None:
            await self._turns.play(context, visit, proof)

        identity = ClaimsIdentity(dict(proof.claims))
        reply = await self._adapter.process_activity(identity, activity, on_turn)
        if reply is None:
            return Response(status_code=202)
        return JSONResponse(reply.body, status_code=reply.status)


def _limits(house: House) -> Limits:
    usual = limits_of(house.settings.serve)
    return replace(usual, body_bytes=max(usual.body_bytes, _LEAST_BODY))
