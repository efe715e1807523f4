"""An agent of Microsoft Agent Framework: its updates as events, its functions as actions.

The thread comes with every run, so the framework keeps none. What functions write into the state of
the session is the state of the agent, as far as it is JSON.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast
from uuid import uuid4

from agent_framework import AgentSession, FunctionTool, RawAgent, SupportsAgentRun

from sextant.errors import ConfigError, NotFound
from sextant.links.agent_framework.messages import declared_tools, framework_messages
from sextant.links.agent_framework.updates import UpdateReader
from sextant.ports import AgentFunction, RemoteEvent
from sextant.types import ActionStarted, Json, JsonObject, RemoteRun, RemoteState, ToolSpec

_APPROVAL = "always_require"


class AgentFrameworkAgent:
    """One agent, with a session of its own for each run."""

    def __init__(self, agent: SupportsAgentRun) -> None:
        if not agent.name:
            raise ConfigError("An agent of Agent Framework has no name.", "Give it one.")
        self._agent = agent
        self._functions = {one.name: one for one in _functions_of(agent)}

    @property
    def name(self) -> str:
        """How clients call it."""
        return self._agent.name or ""

    @property
    def description(self) -> str:
        """What it is for, in a sentence."""
        return self._agent.description or ""

    @property
    def functions(self) -> Sequence[AgentFunction]:
        """What it can do itself."""
        return [
            AgentFunction(
                ToolSpec(one.name, one.description, one.parameters()),
                needs_approval=one.approval_mode == _APPROVAL,
            )
            for one in self._functions.values()
        ]

    async def call(self, function: str, arguments: JsonObject) -> Json:
        """Return what one of its functions returns."""
        if function not in self._functions:
            raise NotFound(f"{self.name} has no function {function[:80]!r}.", "Use another one.")
        told = await self._functions[function].invoke(arguments=dict(arguments))
        return "".join(one.text or "" for one in told) if isinstance(told, list) else str(told)

    async def stream(self, run: RemoteRun) -> AsyncGenerator[Iterable[RemoteEvent], None]:
        """Yield what it tells, with its state and the function or the agent that is at work."""
        session, reader = AgentSession(session_id=run.thread_id), UpdateReader()
        session.state.update(run.state)
        told = _Told(run.thread_id, run.state)
        updates = self._agent.run(
            framework_messages(run.messages, run.answers),
            stream=True,
            session=session,
            **self._options(run),
        )
        async for update in updates:
            author = update.author_name or ""
            batch: list[RemoteEvent] = [
                *told.changes("" if author == self.name else author, session)
            ]
            for event in reader.read(update):
                batch.append(event)
                if isinstance(event, ActionStarted):
                    batch += told.changes(event.name, session)
            yield batch
        yield (*reader.end(), *told.changes("", session, is_over=True))

    def _options(self, run: RemoteRun) -> dict[str, Any]:
        """Return the actions of a run for an agent that takes some: workflows have their own."""
        takes_tools = run.actions and isinstance(self._agent, RawAgent)
        return {"tools": declared_tools(run.actions)} if takes_tools else {}


class _Told:
    """What was last told of a run's state."""

    def __init__(self, thread_id: str, state: JsonObject) -> None:
        self._thread_id, self._run_id = thread_id, str(uuid4())
        self._node, self._state = "", dict(state)
        self._is_told = False

    def changes(
        self, node: str, session: AgentSession, *, is_over: bool = False
    ) -> Iterator[RemoteState]:
        """Yield how the agent stands, if that is another way than before."""
        state = _json_of(session.state)
        is_other = state != self._state or (node not in ("", self._node))
        if is_other or (is_over and self._is_told):
            self._node, self._state, self._is_told = node or self._node, state, True
            yield RemoteState(self._thread_id, self._run_id, node, state, not is_over)


def _functions_of(agent: SupportsAgentRun) -> list[FunctionTool]:
    """Return the functions that an agent was made with; others it finds only in a run."""
    options = getattr(agent, "default_options", None)
    tools = options.get("tools") if isinstance(options, Mapping) else None
    given = tools if isinstance(tools, Sequence) else ()
    return [one for one in given if isinstance(one, FunctionTool) and not one.declaration_only]


def _json_of(state: Mapping[str, Any]) -> dict[str, Json]:
    """Return what of a state is JSON; the framework's own messages are not."""
    found: dict[str, Json] = {}
    for name, value in state.items():
        try:
            found[name] = cast(Json, json.loads(json.dumps(value)))
        except (TypeError, ValueError):
            continue
    return found
