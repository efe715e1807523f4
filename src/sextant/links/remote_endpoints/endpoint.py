"""A server that speaks CopilotKit's protocol of remote endpoints: four methods, agents as lines."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from typing import Any, cast

from sextant.errors import PeerError
from sextant.links.remote_endpoints.base import ConnectedEndpoint
from sextant.links.remote_endpoints.connection import NOT_OURS
from sextant.links.remote_endpoints.events import read_events
from sextant.links.remote_endpoints.messages import run_body
from sextant.ports import RemoteEvent
from sextant.text.codec.action_parameters import schema_of
from sextant.types import AgentCard, Json, JsonObject, Offer, RemoteCall, RemoteRun, ToolSpec

_MOST_PARTS = 1_000
"""Agents, and actions, that one endpoint may offer."""
_OF_LANGGRAPH = "langgraph"
"""How the types of agents begin that tell LangGraph's own events here; AG-UI is their way in."""


class CopilotKitEndpoint(ConnectedEndpoint):
    """One endpoint below one address."""

    async def offer(self, call: RemoteCall) -> Offer:
        """Return the agents and actions that are there now."""
        body = {"properties": call.properties}
        seconds = self._settings.chat.offer_seconds
        found = await self._connection.ask("info", call, body, seconds)
        return Offer(
            tuple(
                AgentCard(name, description)
                for name, description, own in self._listed(found, "agents")
                if not str(own.get("type")).startswith(_OF_LANGGRAPH)
            ),
            tuple(
                ToolSpec(name, description, _schema_in(own))
                for name, description, own in self._listed(found, "actions")
            ),
        )

    async def execute(self, call: RemoteCall, action: str, arguments: JsonObject) -> Json:
        """Return what an action returns; one that fails is a PeerError."""
        body = {"name": action, "arguments": arguments, "properties": call.properties}
        seconds = self._settings.chat.action_seconds
        answer = await self._connection.ask("actions/execute", call, body, seconds)
        return cast(Json, answer.get("result"))

    async def run(
        self, call: RemoteCall, run: RemoteRun
    ) -> AsyncGenerator[Iterable[RemoteEvent], None]:
        """Yield what an agent tells, as it comes."""
        whose = f"The agent {run.agent} of {self.name}"
        reading = self._connection.stream_lines("agents/execute", call, run_body(call, run), whose)
        async with aclosing(reading) as batches:
            async for lines in batches:
                yield read_events(lines, whose)

    async def load_state(self, call: RemoteCall, agent: str, thread_id: str) -> JsonObject | None:
        """Return the state of an agent in a thread, or None where there is no such thread."""
        body = {"properties": call.properties, "threadId": thread_id, "name": agent}
        seconds = self._settings.remote.call_seconds
        found = await self._connection.ask("agents/state", call, body, seconds)
        state = found.get("state")
        return state if found.get("threadExists") is True and isinstance(state, dict) else None

    def _listed(
        self, answer: Mapping[str, Any], what: str
    ) -> list[tuple[str, str, Mapping[str, Any]]]:
        """Return what is offered, by name and description; what has no name is left out."""
        given = answer.get(what, [])
        if not isinstance(given, list) or len(given) > _MOST_PARTS:
            raise PeerError(f"{self.name} lists no {what}, or over {_MOST_PARTS:,}.", NOT_OURS)
        limit = self._settings.limits
        return [
            (one["name"], str(one.get("description") or "")[: limit.metadata], one)
            for one in given
            if isinstance(one, dict)
            and isinstance(one.get("name"), str)
            and 0 < len(one["name"]) <= limit.id
        ]


def _schema_in(action: Mapping[str, Any]) -> JsonObject:
    given = action.get("parameters")
    if isinstance(given, list):
        return schema_of([one for one in given if isinstance(one, dict)])
    return given if isinstance(given, dict) else schema_of([])
