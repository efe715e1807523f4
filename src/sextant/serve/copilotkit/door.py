"""The door of CopilotKit: one path for its GraphQL clients and for those that speak AG-UI.

A body with `query` is GraphQL, one with `method` is a method of AG-UI; what is below the path is
AG-UI, too. Both are imported when somebody first comes.
"""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING, Any

from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from sextant.serve.copilotkit.refusals import form_of_refusals
from sextant.serve.door import Door, limits_of
from sextant.serve.house import House
from sextant.serve.http.problem import Problem
from sextant.serve.identity.bearer import Bearer
from sextant.serve.rest.request.bodies import json_body
from sextant.serve.rest.request.refusals import Refused

if TYPE_CHECKING:
    from sextant.serve.agui.app import AguiApp
    from sextant.serve.graphql.app import GraphqlApp

ROOT = "/copilotkit"
_ONLY_POST = Problem(
    405,
    "method_not_allowed",
    "Method not allowed",
    "A copilot is asked by POST here.",
    "Point `runtimeUrl` of CopilotKit at this address.",
    (("allow", "POST"),),
)
_NEITHER = Problem(
    400,
    "invalid_input",
    "Bad request",
    "The body is neither GraphQL nor AG-UI.",
    "Send a JSON object with `query`, or with `method`.",
)


def open_door(house: House) -> Door:
    """Return the door of CopilotKit, for the copilot of a house."""
    app = CopilotkitApp(house)
    return Door(
        name="copilotkit",
        paths=(ROOT, f"{ROOT}/*"),
        app=app,
        scheme=Bearer(house.identity, house.settings),
        limits=limits_of(house.settings.serve),
        error_form_for=form_of_refusals,
        index={"copilotkit": ROOT},
    )


class CopilotkitApp:
    """What answers at the path and below it."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._graphql: GraphqlApp | None = None
        self._agui: AguiApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, in the protocol that it speaks."""
        if scope["path"].rstrip("/") != ROOT:
            await (await self._open_agui())(scope, receive, send)
            return
        if scope["method"] != "POST":
            await _ONLY_POST(scope, receive, send)
            return
        try:
            body = await json_body(Request(scope, receive))
        except Refused as refused:
            await refused.problem(scope, receive, send)
        except ClientDisconnect:
            return
        else:
            await self._answer(body, scope, receive, send)

    async def _answer(self, body: Any, scope: Scope, receive: Receive, send: Send) -> None:
        if isinstance(body, dict) and "query" in body:
            await (await self._open_graphql()).answer(scope, body, send)
        elif isinstance(body, dict) and "method" in body:
            await (await self._open_agui()).envelope(scope, body, receive, send)
        else:
            await _NEITHER(scope, receive, send)

    async def _open_graphql(self) -> GraphqlApp:
        if self._graphql is None:
            # In a thread, so that other requests are answered meanwhile.
            behind = await asyncio.to_thread(import_module, "sextant.serve.graphql.app")
            opened: GraphqlApp = behind.GraphqlApp(self._house, self._house.sextant.copilot)
            self._graphql = self._graphql or opened
        return self._graphql

    async def _open_agui(self) -> AguiApp:
        if self._agui is None:
            behind = await asyncio.to_thread(import_module, "sextant.serve.agui.app")
            opened: AguiApp = behind.AguiApp(self._house)
            self._agui = self._agui or opened
        return self._agui
