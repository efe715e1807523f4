"""Who answers a run: an agent by its name, the line, or a model alone, as the settings say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from sextant.chat.actions.action import Action
from sextant.chat.actions.approvals import hold_action
from sextant.chat.actions.calls import Actions
from sextant.chat.actions.run_tools import RunTools
from sextant.chat.context import DEFAULT_AGENT, Agent, RunContext, Work
from sextant.chat.grounded.agent import Ask, GroundedAgent
from sextant.chat.grounded.tool import KNOWLEDGE_ACTION, knowledge_action
from sextant.chat.plugins import PluginFault
from sextant.chat.remotes.agent import EventBatches, ForeignAgent, StreamRun
from sextant.chat.remotes.functions import function_actions
from sextant.chat.remotes.known import RemoteAgent, Remotes
from sextant.chat.replying.standard import StandardRun
from sextant.errors import AgentNotFound, ConfigError, InvalidInput, NoModel
from sextant.limits import Limits
from sextant.ports import ChatModel, FrameworkAgent, RemoteEndpoint
from sextant.settings import ChatSettings
from sextant.types import AgentCard, ModelWishes, RemoteRun, RunKind, RunRequest, ToolSpec

Tools = Mapping[str, Action]
MakeWork = Callable[[Tools], Work]
"""Returns the work of a run that may also call these tools of other servers."""

_ACTING = (RunKind.CHAT, RunKind.TASK)
"""Who writes suggestions, or completes a text, has no use for tools."""
_FIRST_WAIT_S = 2.0
"""For so long a run of an agent of ours waits for offers that were never read.

Chosen: an endpoint at work answers well within it, and a person hardly notices it once.
"""
_DEFAULT = {
    "agent": "Answers from the knowledge, with citations.",
    "tool": "A model that can look into the knowledge.",
    "off": "A model.",
}


@dataclass(slots=True)
class Answerers:
    """The agents and actions of this process, and the models that they may speak with."""

    settings: ChatSettings
    limits: Limits
    ask: Ask
    model: ChatModel | None = None
    offered: Sequence[ChatModel] = ()
    agents: dict[str, Agent | FrameworkAgent] = field(default_factory=dict)
    actions: dict[str, Action] = field(default_factory=dict)
    tools: RunTools | None = None
    """Those of other servers."""
    remotes: Remotes = field(default_factory=Remotes)
    left_out: Sequence[PluginFault] = ()
    """Plugins that cannot be used."""

    def register(self, parts: Iterable[Action | Agent | FrameworkAgent]) -> None:
        """Take in actions, agents and what these can do themselves; a name is given once."""
        for part in parts:
            functions = [*function_actions(part)] if isinstance(part, FrameworkAgent) else []
            self._check_names([part, *functions])
            for one in (part, *functions):
                if isinstance(one, Action):
                    self.actions[one.name] = hold_action(one, self.settings.approve)
                else:
                    self.agents[one.name] = one

    def _check_names(self, parts: Sequence[Action | Agent | FrameworkAgent]) -> None:
        """Refuse all of these parts if one of them has a name that is taken."""
        actions, agents = {*self.actions, DEFAULT_AGENT}, {*self.agents, DEFAULT_AGENT}
        for part in parts:
            taken = actions if isinstance(part, Action) else agents
            if part.name in taken:
                raise ConfigError(f"{part.name} is registered already.", "Give it another name.")
            taken.add(part.name)

    @property
    def own_cards(self) -> Sequence[AgentCard]:
        """Who can be named of this process, the default first."""
        default = AgentCard(DEFAULT_AGENT, _DEFAULT[self.settings.grounding])
        return [default, *(AgentCard(one.name, one.description) for one in self.agents.values())]

    @property
    def cards(self) -> Sequence[AgentCard]:
        """Who can be named, the default first; one's own go before those of remotes."""
        remote = (replace(card, name=name) for name, (_, card) in self.remote_agents.items())
        return [*self.own_cards, *remote]

    @property
    def remote_agents(self) -> Mapping[str, RemoteAgent]:
        """The agents of remotes, by the names that they have here."""
        return self.remotes.agents(self._own_names)

    @property
    def remote_tools(self) -> Mapping[str, tuple[RemoteEndpoint, ToolSpec]]:
        """What the actions of remotes are there, by the names that they have here."""
        return self.remotes.tools(self._own_actions)

    @property
    def _own_names(self) -> frozenset[str]:
        return frozenset({DEFAULT_AGENT, *self.agents})

    @property
    def _own_actions(self) -> frozenset[str]:
        """The names that no action of a remote has here."""
        knows = self.settings.grounding != "off"
        return frozenset({*self.actions, *([KNOWLEDGE_ACTION] if knows else [])})

    @property
    def offered_actions(self) -> Mapping[str, Action]:
        """What may be carried out without a model: all that waits for nobody, and the line."""
        ready = {name: own for name, own in self.actions.items() if not own.needs_approval}
        return ready if self.settings.grounding == "off" else self._with_knowledge(ready)

    async def read_remotes(self, request: RunRequest) -> None:
        """Learn what remotes offer, as far as a run needs it; who needs none waits for none."""
        if not self.is_own(request.agent):
            await self.find_remote(request.agent)
        elif request.kind in _ACTING and (self.model or request.agent in self.agents):
            await self.remotes.refresh(_FIRST_WAIT_S)

    async def find_remote(self, agent: str) -> RemoteAgent | None:
        """Return the remote agent of a name, once it is known whether there is one."""
        await self.remotes.find(agent, self._own_names)
        return self.remote_agents.get(agent)

    def is_own(self, agent: str) -> bool:
        """Whether an agent is one of this process; without a name, it is the default one."""
        return agent in ("", DEFAULT_AGENT) or agent in self.agents

    @property
    def remote_actions(self) -> Mapping[str, Action]:
        """The actions of remotes by their names; some of them wait for a person here."""
        held = self.settings.approve
        return {
            name: hold_action(own, held)
            for name, own in self.remotes.actions(self._own_actions).items()
        }

    def find(self, request: RunRequest) -> tuple[str, Work]:
        """Return who answers a request and by which name, or say why nobody can."""
        if request.agent and request.agent != DEFAULT_AGENT:
            return request.agent, self._with_tools(self._named(request.agent))
        if request.kind == RunKind.CHAT and self.settings.grounding == "agent":
            if self.model is None:
                return DEFAULT_AGENT, GroundedAgent(self.ask).run
            own = self._standard(request.wishes)
            return DEFAULT_AGENT, self._with_tools(
                lambda tools: GroundedAgent(self.ask, own.with_tools(tools)).run
            )
        alone = self._standard(request.wishes, request.kind)
        return request.agent, self._with_tools(lambda tools: alone.with_tools(tools).run)

    def _with_tools(self, make: MakeWork) -> Work:
        """Return work that has the tools of other servers, where its run is of a kind that acts."""

        async def work(context: RunContext) -> None:
            if self.tools is None or context.request.kind not in _ACTING:
                await make({})(context)
                return
            async with self.tools.opened(context) as tools:
                await make(tools)(context)

        return work

    def _named(self, name: str) -> MakeWork:
        if own := self.agents.get(name):
            if isinstance(own, FrameworkAgent):
                return self._framework(own)
            return partial(self._equipped, own)
        if found := self.remote_agents.get(name):
            return self._remote(*found)
        known = ", ".join(card.name for card in self.cards)
        down = "".join(f" {one} offers nothing now." for one in self.remotes.failures)
        raise AgentNotFound(f"There is no agent {name[:80]!r}.", f"There are: {known}.{down}")

    def _equipped(self, agent: Agent, tools: Tools) -> Work:
        """Return the work of an agent of one's own, which may have actions carried out."""
        known = self._known_actions(tools, with_knowledge=self.settings.grounding != "off")
        ready = {name: one for name, one in known.items() if not one.needs_approval}

        async def work(context: RunContext) -> None:
            context.tools = tuple(one.tool for one in ready.values())
            context.perform = self._bounded(ready).perform
            await agent.run(context)

        return work

    def _remote(self, endpoint: RemoteEndpoint, card: AgentCard) -> MakeWork:
        def stream(context: RunContext, run: RemoteRun) -> EventBatches:
            properties = context.request.properties
            return endpoint.run(self.remotes.call_for(endpoint, context.scope, properties), run)

        whose = f"The agent {card.name} of {endpoint.name}"
        return partial(self._foreign, card, whose, stream, frozenset())

    def _framework(self, agent: FrameworkAgent) -> MakeWork:
        def stream(_: RunContext, run: RemoteRun) -> EventBatches:
            return agent.stream(run)

        own = frozenset(one.tool.name for one in agent.functions)
        card = AgentCard(agent.name, agent.description)
        return partial(self._foreign, card, f"The agent {agent.name}", stream, own)

    def _foreign(
        self, card: AgentCard, whose: str, stream: StreamRun, own: frozenset[str], tools: Tools
    ) -> Work:
        known = self._known_actions(tools, with_knowledge=self.settings.grounding != "off")
        actions, rounds = self._bounded(known), self.settings.rounds
        return ForeignAgent(card.name, card.description, whose, stream, actions, rounds, own).run

    def _standard(self, wishes: ModelWishes, kind: RunKind = RunKind.CHAT) -> StandardRun:
        is_tool = kind == RunKind.CHAT and self.settings.grounding == "tool"
        actions = self._bounded(self._known_actions({}, with_knowledge=is_tool))
        return StandardRun(self._model(wishes.model, kind), actions, self.settings.rounds)

    def _known_actions(self, tools: Tools, *, with_knowledge: bool) -> Mapping[str, Action]:
        """Return all actions; those of remotes go before tools of the same name."""
        known = {**tools, **self.remote_actions, **self.actions}
        return self._with_knowledge(known) if with_knowledge else known

    def _bounded(self, known: Mapping[str, Action]) -> Actions:
        rules = self.settings
        return Actions(known, rules.action_seconds, self.limits.entry, rules.tool_hosts)

    def _with_knowledge(self, actions: Mapping[str, Action]) -> Mapping[str, Action]:
        own = knowledge_action(self.ask)
        return {own.name: own, **actions}

    def _model(self, wish: str, kind: RunKind) -> ChatModel:
        if self.model is None:
            raise NoModel(
                f"A run of the kind {kind.value} needs a language model, and none is set.",
                'Set `llm`, such as "openai:gpt-5-mini".',
            )
        own = self.model.identity
        if wish in ("", own.name, str(own)):
            return self.model
        for model in self.offered:
            if wish in (model.identity.name, str(model.identity)):
                return model
        raise InvalidInput(
            f"The model {wish[:80]!r} is not offered here.",
            "Leave it out, or have it added to the setting chat.models.",
        )
