"""The class Copilot: what can be done with runs, a delegating line or two each.

Knows ports, no adapter and no door.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sextant.ask.conversations.turns import owned_thread_id
from sextant.chat.context import RunContext, new_id
from sextant.chat.events import EventLog
from sextant.chat.live_runs import LiveRuns, ThreadKey
from sextant.chat.run import LiveRun, Run
from sextant.chat.standard import StandardRun
from sextant.core.verb import verb
from sextant.errors import AgentNotFound, NoModel
from sextant.limits import check_asker
from sextant.ports import Store
from sextant.settings import Settings
from sextant.spans import Tracer
from sextant.types import (
    AgentCard,
    RunEnd,
    RunFinished,
    RunKind,
    RunRequest,
    Scope,
    ThreadState,
)

if TYPE_CHECKING:
    from sextant.ask.model_steps.chat import Chat

DEFAULT_AGENT = "default"
_GROUNDED = "Answers from the knowledge, with citations."
_THREADS = "runs/"


@dataclass(frozen=True, slots=True)
class Copilot:
    """The runs of copilots: started, found, stopped and read; each in a thread of its user."""

    store: Store
    settings: Settings
    chat: Chat | None = None
    tracer: Tracer | None = None
    _runs: LiveRuns = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_runs", LiveRuns(self.settings.chat))

    @verb()
    async def agents(self, scope: Scope) -> Sequence[AgentCard]:
        """Return who can answer, the default first."""
        check_asker(scope, self.settings.limits)
        return [AgentCard(DEFAULT_AGENT, _GROUNDED)]

    @verb()
    async def start(self, scope: Scope, request: RunRequest, *, detached: bool = False) -> Run:
        """Begin a run and return it; what is wrong beforehand is raised, all else is an event.

        Unless it is detached, it ends when its last reader leaves.
        """
        check_asker(scope, self.settings.limits)
        agent = request.agent or DEFAULT_AGENT
        if agent != DEFAULT_AGENT:
            raise AgentNotFound(f"There is no agent {agent[:80]!r}.", f"There is: {DEFAULT_AGENT}.")
        if self.chat is None:
            raise NoModel("This needs a language model, and none is set.", "Set `llm`.")
        answerer = StandardRun(self.chat.model)
        thread_id, run_id = request.thread_id or new_id(), request.run_id or new_id()
        run = LiveRun(
            thread_id, run_id, agent, ahead=self.settings.chat.ahead, is_detached=detached
        )

        async def work(log: EventLog) -> RunEnd:
            context = RunContext(scope, request, thread_id, run_id, agent, log, request.messages)
            await answerer.run(context)
            return RunFinished(context.usage)

        async def keep(_: RunEnd) -> None:
            return None

        key = _key(scope, thread_id, request.kind, run_id)
        self._runs.add(key, run)
        run.begin(work, keep, lambda: self._runs.end(key))
        return run

    @verb()
    async def find_run(self, scope: Scope, thread_id: str) -> Run | None:
        """Return the run of a thread that is under way, or that just ended."""
        check_asker(scope, self.settings.limits)
        return self._runs.find(_key(scope, thread_id))

    @verb()
    async def stop(self, scope: Scope, thread_id: str) -> bool:
        """Stop the run of a thread; return whether there was one."""
        check_asker(scope, self.settings.limits)
        run = self._runs.find(_key(scope, thread_id))
        return run is not None and run.stop()

    @verb()
    async def load_state(self, scope: Scope, thread_id: str, agent: str) -> ThreadState:  # noqa: ARG002
        """Return what is kept of a thread: the messages, and an agent's last state."""
        check_asker(scope, self.settings.limits)
        return ThreadState(thread_id, exists=False)

    async def close(self) -> None:
        """Stop every run, and wait until each has let go of its model."""
        await self._runs.close()


def _key(scope: Scope, thread_id: str, kind: RunKind = RunKind.CHAT, run_id: str = "") -> ThreadKey:
    """Return whose run it is. Only a chat is a part of its thread: others go on beside it."""
    own = owned_thread_id(_THREADS, scope, thread_id)
    return scope.tenant, scope.user or "", own if kind == RunKind.CHAT else f"{own}/{run_id}"
