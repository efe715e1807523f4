"""The methods of a remote endpoint: each decodes, calls one verb of the copilot, and encodes.

Only what is in this process is offered, so that two servers that use each other do not go round.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Any

from starlette.responses import Response
from starlette.types import ASGIApp
from starlette.types import Scope as ScopeOfAsgi

from sextant.chat.run import Run
from sextant.errors import AgentNotFound, InvalidInput
from sextant.serve.agui.streaming import EventStream, StreamForm
from sextant.serve.caller import Role
from sextant.serve.copilotkit.asking import subject_of, wanted_in
from sextant.serve.copilotkit.open_runs import messages_with_failure
from sextant.serve.copilotkit_remote.events import LineWriter, line
from sextant.serve.copilotkit_remote.shapes import (
    ActionCall,
    AgentCall,
    InfoCall,
    StateCall,
    read_call,
    run_request,
)
from sextant.serve.graphql.messages import thread_shapes
from sextant.serve.house import House, Visit
from sextant.serve.http.problem import request_id_of, unmeant
from sextant.serve.rest.request.bodies import JSON
from sextant.text.codec.action_parameters import parameters_in
from sextant.text.codec.decode import loads
from sextant.text.codec.json_bytes import written
from sextant.types import Json, Offer, RunRequest, Scope
from sextant.version import __version__

_LINES = b"application/x-ndjson"
_AGENT_TYPE = "crewai"
"""What CopilotKit calls agents that tell the events of a run themselves, as lines of JSON."""
_FAILED = 422
"""The status of an action that failed: on those from 502 on, runtimes would try it again."""


def _failure(scope: ScopeOfAsgi) -> bytes:
    problem = unmeant()
    return line("RunError", message=problem.detail, code=problem.code, id=request_id_of(scope))


class Methods:
    """What can be called at a house."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._copilot = house.sextant.copilot
        self._form = StreamForm(_LINES, b"\n", _failure)
        self._by_name: Mapping[str, Callable[[ScopeOfAsgi, Any], Awaitable[ASGIApp]]] = {
            "info": self._info,
            "actions/execute": self._execute,
            "agents/execute": self._run,
            "agents/state": self._state,
        }

    async def answer(self, method: str, body: Any, scope: ScopeOfAsgi) -> ASGIApp:
        """Do what is called, and return the answer."""
        return await self._by_name[method](scope, body)

    async def _info(self, scope: ScopeOfAsgi, body: Any) -> Response:
        call = read_call(InfoCall, body)
        offer = await self._copilot.offer(self._enter(scope, call, "list agents"))
        return _json(
            {
                "actions": [
                    {
                        "name": one.name,
                        "description": one.description,
                        "parameters": parameters_in(one.parameters),
                    }
                    for one in offer.actions
                ],
                "agents": [
                    {"name": one.name, "description": one.description, "type": _AGENT_TYPE}
                    for one in offer.agents
                ],
                "sdkVersion": __version__,
            }
        )

    async def _execute(self, scope: ScopeOfAsgi, body: Any) -> Response:
        call = read_call(ActionCall, body)
        asking = self._enter(scope, call, "execute action", call.name)
        result = await self._copilot.execute_action(
            asking, call.name, written(call.arguments or {}).decode(), call.properties or {}
        )
        if result.failed:
            return _json({"error": result.message}, _FAILED)
        return _json({"result": _value(result.text)})

    async def _run(self, scope: ScopeOfAsgi, body: Any) -> ASGIApp:
        call = read_call(AgentCall, body)
        request = run_request(call)
        asking = self._enter(scope, call, "chat", subject_of(request))
        offer = await self._copilot.offer(asking)
        _check_agent(offer, call.name)
        run = await self._copilot.start(asking, request)
        writer = LineWriter({one.name for one in offer.actions})
        return EventStream(_written(run, writer), self._form)

    async def _state(self, scope: ScopeOfAsgi, body: Any) -> Response:
        call = read_call(StateCall, body)
        asking = self._enter(scope, call, "load agent state", call.thread_id)
        _check_agent(await self._copilot.offer(asking), call.name)
        found = await self._copilot.load_state(asking, call.thread_id, call.name)
        return _json(
            {
                "threadId": found.thread_id,
                "threadExists": found.exists,
                "state": loads(found.state),
                "messages": thread_shapes(messages_with_failure(found)),
            }
        )

    def _enter(self, scope: ScopeOfAsgi, call: InfoCall, verb: str, subject: str = "") -> Scope:
        visit: Visit = scope["state"]["visit"]
        wanted = wanted_in(RunRequest(properties=call.properties or {}))
        return self._house.enter(visit, wanted, Role.SEARCH, verb, subject)


async def _written(run: Run, writer: LineWriter) -> AsyncGenerator[bytes, None]:
    async with aclosing(run.events()) as batches:
        async for batch in batches:
            if told := writer.write(batch):
                yield told


def _check_agent(offer: Offer, agent: str) -> None:
    known = [one.name for one in offer.agents]
    if agent not in known:
        there = ", ".join(known)
        raise AgentNotFound(f"There is no agent {agent[:80]!r}.", f"There are: {there}.")


def _value(text: str) -> Json:
    """Return the object or the list that a text is as JSON, or else the text."""
    if not text.startswith(("{", "[")):
        return text
    try:
        value: Json = loads(text)
    except InvalidInput:
        return text
    return value


def _json(value: Json, status: int = 200) -> Response:
    return Response(written(value), status, media_type=JSON)
