"""What answers below the path of the copilot: one method of AG-UI by path, or by an envelope.

Clients speak either form: a path for each method, or one path and a body that names the method.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from sextant.errors import SextantError
from sextant.serve.agui.methods import Call, Methods
from sextant.serve.agui.refusals import refusal
from sextant.serve.house import House
from sextant.serve.http.paths import whole_address
from sextant.serve.http.problem import problem_of, request_id_of
from sextant.serve.rest.request.bodies import json_body
from sextant.serve.rest.request.refusals import Refused


@dataclass(frozen=True, slots=True)
class _Route:
    """Where a request went, as metrics and spans name it."""

    path: str


class AguiApp:
    """An ASGI app for one house."""

    def __init__(self, house: House) -> None:
        self._methods = Methods(house)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request to a path of its own: info, or a method of an agent."""
        try:
            method, params = _called(scope)
            _check_verb(scope["method"], "GET" if method == "info" else "POST")
            scope["route"] = _Route(f"/copilotkit/{method}")
            body = await _body(scope, receive, method)
        except Refused as refused:
            await refusal(refused.problem, request_id_of(scope))(scope, receive, send)
        except ClientDisconnect:
            return
        else:
            await self._answer(scope, Call(method, params, body, scope), receive, send)

    async def envelope(
        self, scope: Scope, body: Mapping[str, Any], receive: Receive, send: Send
    ) -> None:
        """Answer a request to the path of the copilot itself, whose body names the method."""
        scope["route"] = _Route("/copilotkit")
        params = body.get("params")
        call = Call(
            str(body.get("method")),
            params if isinstance(params, Mapping) else {},
            body.get("body"),
            scope,
        )
        await self._answer(scope, call, receive, send)

    async def _answer(self, scope: Scope, call: Call, receive: Receive, send: Send) -> None:
        try:
            response = await self._methods.answer(call)
        except Refused as refused:
            response = refusal(refused.problem, request_id_of(scope))
        except SextantError as error:
            response = refusal(problem_of(error), request_id_of(scope))
        await response(scope, receive, send)


def _called(scope: Scope) -> tuple[str, Mapping[str, str]]:
    """Return the method that a path names, and whose agent and thread it is for."""
    whole = whole_address(scope)
    raw: bytes = whole[1] if whole else scope["raw_path"]
    parts = [unquote(one) for one in raw.decode("ascii", "replace").rstrip("/").split("/")[2:]]
    match parts:
        case ["info"]:
            return "info", {}
        case ["agent", agent, "run" | "suggest" | "connect" as method] if agent:
            return f"agent/{method}", {"agentId": agent}
        case ["agent", agent, "stop", thread] if agent and thread:
            return "agent/stop", {"agentId": agent, "threadId": thread}
    raise Refused(
        404,
        "not_found",
        "There is nothing here.",
        "Point runtimeUrl at the path of the copilot itself.",
    )


def _check_verb(given: str, wanted: str) -> None:
    if given != wanted:
        raise Refused(
            405,
            "method_not_allowed",
            "This cannot be done here.",
            f"Use {wanted} here.",
            (("allow", wanted),),
        )


async def _body(scope: Scope, receive: Receive, method: str) -> Any:
    """Return the value of a JSON body; who asks for information or stops a run may send none."""
    request = Request(scope, receive)
    if method == "info" or (method == "agent/stop" and not await request.body()):
        return None
    return await json_body(request)
