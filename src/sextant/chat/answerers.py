"""Who answers a run: an agent by its name, the line, or a model alone, as the settings say."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

from sextant.chat.actions.action import Action
from sextant.chat.actions.calls import Actions
from sextant.chat.actions.run_tools import RunTools
from sextant.chat.context import Agent, RunContext, Work
from sextant.chat.grounded.agent import Ask, GroundedAgent
from sextant.chat.grounded.tool import knowledge_action
from sextant.chat.replying.standard import StandardRun
from sextant.errors import AgentNotFound, ConfigError, InvalidInput, NoModel
from sextant.limits import Limits
from sextant.ports import ChatModel
from sextant.settings import ChatSettings
from sextant.types import AgentCard, ModelWishes, RunKind, RunRequest

DEFAULT_AGENT = "default"
_ACTING = (RunKind.CHAT, RunKind.TASK)
"""Who writes suggestions, or completes a text, has no use for tools."""
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
    agents: dict[str, Agent] = field(default_factory=dict)
    actions: dict[str, Action] = field(default_factory=dict)
    tools: RunTools | None = None
    """Those of other servers."""

    def register(self, parts: Iterable[Action | Agent]) -> None:
        """Take in actions and agents; a name is given once."""
        for part in parts:
            known = self.actions if isinstance(part, Action) else self.agents
            if part.name in known or part.name == DEFAULT_AGENT:
                raise ConfigError(f"{part.name} is registered already.", "Give it another name.")
            if isinstance(part, Action):
                self.actions[part.name] = part
            else:
                self.agents[part.name] = part

    @property
    def cards(self) -> Sequence[AgentCard]:
        """Who can be named, the default first."""
        default = AgentCard(DEFAULT_AGENT, _DEFAULT[self.settings.grounding])
        return [default, *(AgentCard(one.name, one.description) for one in self.agents.values())]

    def find(self, request: RunRequest) -> tuple[str, Work]:
        """Return who answers a request and by which name, or say why nobody can."""
        if request.agent and request.agent != DEFAULT_AGENT:
            return request.agent, self._named(request.agent).run
        if request.kind == RunKind.CHAT and self.settings.grounding == "agent":
            standard = self._standard(request.wishes) if self.model else None
            return DEFAULT_AGENT, partial(self._run_grounded, standard)
        return request.agent, partial(
            self._run_standard, self._standard(request.wishes, request.kind)
        )

    async def _run_grounded(self, standard: StandardRun | None, context: RunContext) -> None:
        if standard is None:
            await GroundedAgent(self.ask).run(context)
            return
        async with self._with_tools(standard, context) as own:
            await GroundedAgent(self.ask, own).run(context)

    async def _run_standard(self, standard: StandardRun, context: RunContext) -> None:
        async with self._with_tools(standard, context) as own:
            await own.run(context)

    @asynccontextmanager
    async def _with_tools(
        self, standard: StandardRun, context: RunContext
    ) -> AsyncIterator[StandardRun]:
        """Give a run the tools of other servers, if it is of a kind that acts."""
        if self.tools is None or context.request.kind not in _ACTING:
            yield standard
            return
        async with self.tools.opened(context) as tools:
            yield standard.with_tools(tools)

    def _named(self, name: str) -> Agent:
        if name not in self.agents:
            known = ", ".join(card.name for card in self.cards)
            raise AgentNotFound(f"There is no agent {name[:80]!r}.", f"There are: {known}.")
        return self.agents[name]

    def _standard(self, wishes: ModelWishes, kind: RunKind = RunKind.CHAT) -> StandardRun:
        known = dict(self.actions)
        if kind == RunKind.CHAT and self.settings.grounding == "tool":
            own = knowledge_action(self.ask)
            known = {own.name: own, **known}
        rules = self.settings
        actions = Actions(known, rules.action_seconds, self.limits.entry)
        return StandardRun(self._model(wishes.model, kind), actions, rules.rounds)

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
