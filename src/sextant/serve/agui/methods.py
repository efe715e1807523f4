"""The methods of AG-UI: each decodes, calls one verb of the copilot, and encodes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from starlette.responses import Response
from starlette.types import ASGIApp
from starlette.types import Scope as ScopeOfAsgi

from sextant.chat.run import Run
from sextant.errors import AgentNotFound, InvalidInput
from sextant.serve.agui.events import EventWriter
from sextant.serve.agui.replay import replayed
from sextant.serve.agui.run_input import echoed, read_input, run_request
from sextant.serve.agui.streaming import EventStream
from sextant.serve.caller import Role
from sextant.serve.copilotkit.asking import asked_for, subject_of
from sextant.serve.house import House, Visit
from sextant.serve.rest.request.bodies import JSON
from sextant.serve.rest.request.refusals import Refused
from sextant.text.codec.json_bytes import written
from sextant.types import Json, RunKind, Scope
from sextant.version import __version__

_STOPPED = {"type": "RUN_ERROR", "message": "Run stopped by user", "code": "STOPPED"}
_THREADS = ("list", "inspect", "mutations", "realtimeMetadata")


@dataclass(frozen=True, slots=True)
class Call:
    """A method that a client calls, with the names that it is for and what it is given."""

    method: str
    params: Mapping[str, Any]
    body: Any
    request: ScopeOfAsgi

    @property
    def visit(self) -> Visit:
        """Who came in; the gate let nobody pass without."""
        found: Visit = self.request["state"]["visit"]
        return found

    def named(self, name: str) -> str:
        """Return a parameter that has to be there."""
        value = self.params.get(name)
        if isinstance(value, str) and value.strip():
            return value
        raise InvalidInput(f"The parameter {name!r} is missing.", "Send it in `params`.")


@dataclass(frozen=True, slots=True)
class _Start:
    """What a run was started with, and by which request."""

    given: Mapping[str, Json]
    request_id: str

    def writer(self) -> EventWriter:
        return EventWriter(self.given, self.request_id)


class Methods:
    """What can be called at a house."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._copilot = house.sextant.copilot
        self._starts: WeakKeyDictionary[Run, _Start] = WeakKeyDictionary()
        self._by_name: Mapping[str, Callable[[Call], Awaitable[ASGIApp]]] = {
            "info": self._info,
            "agent/run": self._run,
            "agent/suggest": self._suggest,
            "agent/connect": self._connect,
            "agent/stop": self._stop,
        }

    async def answer(self, call: Call) -> ASGIApp:
        """Do what is called, and return the answer."""
        method = self._by_name.get(call.method)
        if method is None:
            raise Refused(
                400,
                "invalid_input",
                f"There is no method {call.method[:80]!r}.",
                f"There is {', '.join(self._by_name)}.",
            )
        return await method(call)

    async def _info(self, call: Call) -> Response:
        scope = self._enter(call, "list agents")
        agents = await self._copilot.agents(scope)
        return _json(
            {
                "version": __version__,
                "agents": {
                    one.name: {
                        "name": one.name,
                        "description": one.description,
                        "className": "Sextant",
                    }
                    for one in agents
                },
                "audioFileTranscriptionEnabled": False,
                "mode": "sse",
                "threadEndpoints": dict.fromkeys(_THREADS, False),
                "suggestions": self._house.sextant.chat is not None,
                "a2uiEnabled": False,
                "openGenerativeUIEnabled": False,
                "telemetryDisabled": True,
            }
        )

    async def _run(self, call: Call) -> ASGIApp:
        return await self._start(call, RunKind.CHAT)

    async def _suggest(self, call: Call) -> ASGIApp:
        return await self._start(call, RunKind.SUGGESTION)

    async def _start(self, call: Call, kind: RunKind) -> ASGIApp:
        given = read_input(call.body)
        request = run_request(given, call.named("agentId"), kind)
        scope = self._enter(call, "chat", subject_of(request), request.properties)
        is_detached = request.properties.get("detached") is True
        run = await self._copilot.start(scope, request, detached=is_detached)
        start = self._starts[run] = _Start(echoed(call.body), call.visit.request_id)
        return EventStream(_written(run, start.writer()))

    async def _connect(self, call: Call) -> ASGIApp:
        request = run_request(read_input(call.body), call.named("agentId"))
        scope = self._enter(call, "read thread", request.thread_id, request.properties)
        await self._check_agent(scope, request.agent)
        state = await self._copilot.load_state(scope, request.thread_id, request.agent)
        run = await self._copilot.find_run(scope, request.thread_id)
        start = self._starts.get(run) if run else None
        writer = (start or _Start({}, call.visit.request_id)).writer()
        return EventStream(replayed(state, run, request, writer))

    async def _stop(self, call: Call) -> Response:
        thread_id, agent = call.named("threadId"), call.named("agentId")
        run_id, properties = _stopping(call.body)
        scope = self._enter(call, "stop run", thread_id, properties)
        await self._check_agent(scope, agent)
        run = await self._copilot.find_run(scope, thread_id)
        is_meant = run is not None and run_id in ("", run.run_id)
        if is_meant and await self._copilot.stop(scope, thread_id):
            return _json({"stopped": True, "interrupt": _STOPPED})
        return _json({"stopped": False, "message": "No such run is under way in this thread."})

    async def _check_agent(self, scope: Scope, agent: str) -> None:
        known = [one.name for one in await self._copilot.agents(scope)]
        if agent not in known:
            raise AgentNotFound(
                f"There is no agent {agent[:80]!r}.", f"There is {', '.join(known)}."
            )

    def _enter(
        self,
        call: Call,
        verb: str,
        subject: str = "",
        properties: Mapping[str, Json] | None = None,
    ) -> Scope:
        wanted = asked_for(call.request, properties)
        return self._house.enter(call.visit, wanted, Role.SEARCH, verb, subject)


async def _written(run: Run, writer: EventWriter) -> AsyncGenerator[bytes, None]:
    async with aclosing(run.events()) as batches:
        async for batch in batches:
            yield writer.write(batch)


def _stopping(body: Json) -> tuple[str, Mapping[str, Json]]:
    """Return which run is to be stopped, and its properties; no id is whichever is under way."""
    given = body if isinstance(body, Mapping) else {}
    run_id, properties = given.get("runId", ""), given.get("forwardedProps")
    if not isinstance(run_id, str):
        raise InvalidInput("The id of a run is a text.", "Send `runId` as a text, or leave it out.")
    return run_id, properties if isinstance(properties, Mapping) else {}


def _json(value: Json) -> Response:
    return Response(written(value), media_type=JSON)
