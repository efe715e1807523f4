"""The door for CopilotKit runtimes: this server as one of their remote endpoints.

What answers is imported when somebody first comes.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from sextant.errors import SextantError
from sextant.serve.door import Door, limits_of
from sextant.serve.house import House
from sextant.serve.http.problem import Problem, problem_of
from sextant.serve.identity.bearer import Bearer
from sextant.serve.rest.request.bodies import JSON, json_body
from sextant.serve.rest.request.refusals import Refused
from sextant.text.codec.json_bytes import written

if TYPE_CHECKING:
    from sextant.serve.copilotkit_remote.methods import Methods

ROOT = "/copilotkit_remote"
_METHODS = ("info", "actions/execute", "agents/execute", "agents/state")


def open_door(house: House) -> Door:
    """Return the door for runtimes, to the copilot of a house."""
    return Door(
        name="copilotkit-remote",
        paths=(ROOT, f"{ROOT}/*"),
        app=RemoteEndpointApp(house),
        scheme=Bearer(house.identity, house.settings),
        limits=limits_of(house.settings.serve),
        error_form=refusal,
        index={"copilotkitRemote": ROOT},
    )


def refusal(problem: Problem, request_id: str) -> Response:
    """Return a problem as a runtime reads it; in a stream it is the last event."""
    told = {
        "type": "RunError",
        "error": f"{problem.detail} {problem.hint}".strip(),
        "message": f"{problem.detail} {problem.hint}".strip(),
        "code": problem.code,
        "requestId": request_id,
    }
    return Response(written(told), problem.status, dict(problem.headers), media_type=JSON)


@dataclass(frozen=True, slots=True)
class _Route:
    """Where a request went, as metrics and spans name it."""

    path: str


class RemoteEndpointApp:
    """What answers below the path."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._methods: Methods | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        answer: ASGIApp
        try:
            method = _method_of(scope)
            scope["route"] = _Route(f"{ROOT}/{method}")
            body: Any = await json_body(Request(scope, receive))
            answer = await (await self._open_methods()).answer(method, body, scope)
        except Refused as refused:
            answer = refused.problem
        except SextantError as error:
            answer = problem_of(error)
        except ClientDisconnect:
            return
        await answer(scope, receive, send)

    async def _open_methods(self) -> Methods:
        if self._methods is None:
            # In a thread, so that other requests are answered meanwhile.
            behind = await asyncio.to_thread(
                import_module, "sextant.serve.copilotkit_remote.methods"
            )
            opened: Methods = behind.Methods(self._house)
            self._methods = self._methods or opened
        return self._methods


def _method_of(scope: Scope) -> str:
    path: str = scope["path"]
    method = path.removeprefix(ROOT).strip("/")
    if method not in _METHODS:
        known = ", ".join(f"{ROOT}/{one}" for one in _METHODS)
        raise Refused(404, "not_found", "There is nothing here.", f"There is {known}.")
    if scope["method"] != "POST":
        raise Refused(
            405,
            "method_not_allowed",
            "A remote endpoint is asked by POST.",
            f"Name {ROOT} as a remote endpoint of a CopilotKit runtime.",
            (("allow", "POST"),),
        )
    return method
