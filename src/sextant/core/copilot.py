"""The class Copilot: what can be done with runs, a delegating line or two each.

Knows ports, no adapter and no door.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sextant.chat.actions.action import Action, ActionResult
from sextant.chat.actions.client_servers import ClientServer
from sextant.chat.actions.run_tools import RunTools
from sextant.chat.analytics.batches import UsageEvents
from sextant.chat.answerers import Answerers
from sextant.chat.context import Agent
from sextant.chat.grounded.agent import Ask
from sextant.chat.guard.gate import Gate
from sextant.chat.guard.local import topics_guardrail
from sextant.chat.links import CopilotLinks
from sextant.chat.live_runs import LiveRuns
from sextant.chat.parts import CopilotPart, check_parts, list_parts
from sextant.chat.plugins import register_plugins
from sextant.chat.remotes.known import AddHeaders, Remotes
from sextant.chat.run import Run
from sextant.chat.runtime import Runtime
from sextant.chat.telemetry import HearRun
from sextant.chat.threads.keeping import Threads
from sextant.core.verb import verb
from sextant.errors import ConfigError
from sextant.limits import check_asker, check_run_request, check_thread_id
from sextant.ports import Embedder, FrameworkAgent, Store
from sextant.settings import Settings
from sextant.spans import Tracer
from sextant.toolbox.gateway.upstream import Upstream
from sextant.types import AgentCard, Json, Offer, RunRequest, Scope, ThreadState

if TYPE_CHECKING:
    from sextant.ask.model_steps.chat import Chat
    from sextant.core.gateway import Gateway


@dataclass(frozen=True, slots=True)
class Copilot:
    """The runs of copilots: started, found, stopped and read; each in a thread of its user."""

    store: Store
    settings: Settings
    ask: Ask
    embedder: Embedder
    links: CopilotLinks
    chat: Chat | None = None
    tracer: Tracer | None = None
    listeners: Sequence[HearRun] = ()
    gateway: Gateway | None = None
    """The way to the tools of servers that the settings name."""
    _runtime: Runtime = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rules, chat = self.settings.chat, self.chat
        answerers = Answerers(
            rules,
            self.settings.limits,
            self.ask,
            chat.model if chat else None,
            chat.offered if chat else (),
            remotes=Remotes(self.links.remotes),
            tools=RunTools(
                rules,
                self.gateway,
                self._open_client_gateway,
                self.settings.ingest.private_addresses,
            ),
        )
        answerers.left_out = register_plugins(answerers.register)
        threads = Threads(self.store, self.settings.serve.tenant)
        own = topics_guardrail(self.settings, self.embedder)
        gate = Gate(self.settings.guardrails, self.links.guardrails, own)
        sink = self.links.analytics
        usage = UsageEvents(sink, self.settings.analytics) if sink else None
        runtime = Runtime(rules, answerers, threads, LiveRuns(rules), gate, self.listeners, usage)
        object.__setattr__(self, "_runtime", runtime)

    def register(self, *parts: Action | Agent | FrameworkAgent) -> None:
        """Take in actions and agents of one's own, beside those that packages register."""
        self._runtime.answerers.register(parts)

    def add_remote_headers(self, hook: AddHeaders) -> None:
        """Have somebody say which headers go with each call to a remote endpoint."""
        self._runtime.answerers.remotes.hooks.append(hook)

    @verb()
    async def agents(self, scope: Scope) -> Sequence[AgentCard]:
        """Return who can answer, the default first, then those of remotes that can be asked."""
        check_asker(scope, self.settings.limits)
        await self._runtime.answerers.remotes.refresh()
        return self._runtime.answerers.cards

    @verb()
    async def offer(self, scope: Scope) -> Offer:
        """Return the agents and actions of this process, for runtimes elsewhere."""
        check_asker(scope, self.settings.limits)
        answerers = self._runtime.answerers
        actions = answerers.offered_actions.values()
        return Offer(tuple(answerers.own_cards), tuple(one.tool for one in actions))

    @verb()
    async def execute_action(
        self, scope: Scope, name: str, arguments: str, properties: Mapping[str, Json]
    ) -> ActionResult:
        """Carry out one of the actions that are offered, with arguments as JSON."""
        check_asker(scope, self.settings.limits)
        return await self._runtime.execute_action(scope, name, arguments, properties)

    @verb()
    async def parts(self, scope: Scope, *, tried: bool = False) -> Sequence[CopilotPart]:
        """Return who and what there is, remotes as well; tried, also which of it fails."""
        check_asker(scope, self.settings.limits)
        answerers = self._runtime.answerers
        if tried:
            await answerers.remotes.read_again()
            return await check_parts(answerers, self.links)
        await answerers.remotes.refresh()
        return list_parts(answerers, self.links)

    @verb()
    async def start(self, scope: Scope, request: RunRequest, *, detached: bool = False) -> Run:
        """Begin a run and return it; what is wrong beforehand is raised, all else is an event.

        Unless it is detached, it ends when its last reader leaves.
        """
        check_asker(scope, self.settings.limits)
        check_run_request(request, self.settings.limits)
        return await self._runtime.start(scope, request, is_detached=detached)

    @verb()
    async def find_run(self, scope: Scope, thread_id: str) -> Run | None:
        """Return the run of a thread that is under way, or that just ended."""
        self._check(scope, thread_id)
        return self._runtime.find(scope, thread_id)

    @verb()
    async def stop(self, scope: Scope, thread_id: str) -> bool:
        """Stop the run of a thread; return whether there was one."""
        self._check(scope, thread_id)
        run = self._runtime.find(scope, thread_id)
        return run is not None and run.stop()

    @verb()
    async def load_state(self, scope: Scope, thread_id: str, agent: str) -> ThreadState:
        """Return what is kept of a thread: the messages, and an agent's last state."""
        self._check(scope, thread_id)
        return await self._runtime.load_state(scope, thread_id, agent)

    @property
    def under_way(self) -> int:
        """How many runs are under way."""
        return len(self._runtime.runs)

    async def close(self) -> None:
        """Stop every run, and wait until each has let go of its model."""
        await self._runtime.close()
        if self.gateway:
            await self.gateway.close()

    def _open_client_gateway(self, scope: Scope, servers: Sequence[ClientServer]) -> Gateway:
        """Return the way to servers that a client names; what they list is kept for one run."""
        from sextant.core.gateway import Gateway
        from sextant.core.toolbox import Toolbox

        links = self.links
        if links.open_client_server is None or links.open_tool_graph is None:
            raise ConfigError("Nothing here opens servers of a client.", "Use open_sextant.")
        toolbox = Toolbox(links.open_tool_graph(), self.embedder, self.settings, self.tracer)
        upstreams = [Upstream(links.open_client_server(one.address, one.key)) for one in servers]
        return Gateway(toolbox, scope.tenant, upstreams)

    def _check(self, scope: Scope, thread_id: str) -> None:
        check_asker(scope, self.settings.limits)
        check_thread_id(thread_id, self.settings.limits)
