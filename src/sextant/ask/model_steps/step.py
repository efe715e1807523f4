"""How a step asks its model: within the time, for tokens that are counted, and never in vain.

Whatever goes wrong becomes a sentence in the trace, and the step's own result stands.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from sextant.ask.model_steps.chat import Chat
from sextant.ask.workflow.nouns import OWN_RETRIEVER, RETRIEVER, Agent
from sextant.errors import (
    ModelAuthentication,
    ModelBudgetSpent,
    ModelError,
    ModelNotFound,
    ModelTimeout,
    ReadError,
)
from sextant.ports import ChatModel, Retriever
from sextant.prompting.prices import cost_of
from sextant.prompting.spending import Spending, metered
from sextant.prompting.structured import structured
from sextant.retrieval.recorder import Notes
from sextant.settings import NO_MODEL, ModelSettings
from sextant.types import (
    Json,
    JsonObject,
    Message,
    Prompt,
    Retrieval,
    RetrievalRequest,
    Speaker,
    Step,
    Usage,
)

T = TypeVar("T")
_FINAL = (ModelAuthentication, ModelBudgetSpent, ModelNotFound)
_PATIENCE = 2
"""After so many failures an agent is not asked again for the same question; the others are."""


@dataclass(slots=True)
class Talk:
    """What one question asks of its models: what that costs, and what came to nothing.

    Lost are models whose failure another try cannot mend; unanswered are calls of a retriever.
    """

    chat: Chat
    settings: ModelSettings
    spending: Spending
    seconds_left: Callable[[], float]
    fallbacks: list[str] = field(default_factory=list)
    skipped: dict[str, list[str]] = field(default_factory=dict)
    failures: dict[str, int] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)
    unanswered: int = 0

    def agent(self, name: str) -> Agent:
        """Return the agent of a step."""
        return self.chat.workflow.agents[name]

    def seconds_for(self, agent: Agent) -> float:
        """Return how long an agent may take."""
        return min(agent.seconds, self.seconds_left())

    async def ask(self, agent: Agent, said: str, notes: Notes) -> JsonObject | None:
        """Return what an agent replies, as its schema says, or nothing if it does not."""

        async def work(model: ChatModel) -> JsonObject:
            reply = await structured(model, prompt_of(agent, said))
            self.tell(notes, reply.model, reply.usage, reply.retries, reply.repairs)
            return reply.value

        return await self.attempt(agent, notes, work)

    async def attempt(
        self, agent: Agent, notes: Notes, work: Callable[[ChatModel], Awaitable[T]]
    ) -> T | None:
        """Let an agent work with its model, or note why that came to nothing."""
        seconds = self.seconds_for(agent)
        if agent.model == NO_MODEL:
            return None
        model = self.chat.model_of(agent.name)
        failed = self.failures.get(agent.name, 0) >= _PATIENCE or str(model.identity) in self.lost
        if failed or not seconds:
            why = "there is no time for it." if not seconds else "it failed before."
            notes.fallback = f"Without the model: {why}"
            self.skipped.setdefault(why, []).append(agent.name)
            return None
        try:
            async with asyncio.timeout(seconds):
                done = await work(metered(model, self.spending))
        except TimeoutError:
            late = ModelTimeout(
                f"The model took longer than {seconds:.3g} seconds.", "Allow it more seconds."
            )
            self._note_failure(agent.name, notes, late)
        except ModelError as error:
            if isinstance(error, _FINAL):
                self.lost.add(str(model.identity))
            self._note_failure(agent.name, notes, error)
        else:
            return done
        return None

    async def retrieved(
        self, retriever: Retriever, wanted: RetrievalRequest, notes: Notes
    ) -> Retrieval | None:
        """Return what an outside retriever finds, or note why it does not answer."""
        agent = self.agent(RETRIEVER)
        seconds = self.seconds_for(agent)
        try:
            async with asyncio.timeout(seconds):
                return await retriever.retrieve(wanted)
        except TimeoutError:
            why = f"The retriever took over {seconds:.3g} seconds."
        except ReadError as error:
            why = error.message
        instead = "Our own passages" if agent.fallback == OWN_RETRIEVER else "No passages"
        notes.fallback = f"{instead}: {why}"
        self.fallbacks.append(f"retriever: {notes.fallback}")
        self.unanswered += 1
        return None

    def left_alone(self, agent: Agent, notes: Notes, why: str) -> None:
        """Note that a step is done without its model, and why."""
        notes.fallback = f"Without the model: {why}"
        self.fallbacks.append(f"{agent.name}: {why}")

    def _note_failure(self, name: str, notes: Notes, error: ModelError) -> None:
        self.failures[name] = self.failures.get(name, 0) + 1
        notes.fallback = f"Without the model: {error.message}"
        self.fallbacks.append(f"{name}: {error}")

    def _skipped(self) -> list[str]:
        return [f"{', '.join(dict.fromkeys(own))}: {why}" for why, own in self.skipped.items()]

    def tell(
        self, notes: Notes, model: str, usage: Usage, retries: int = 0, repairs: int = 0
    ) -> None:
        """Put into the trace who replied, for how many tokens, and after how many tries."""
        told: dict[str, Json] = {"name": model, "read": usage.read, "written": usage.written}
        told |= {"retries": retries} if retries else {}
        told |= {"repairs": repairs} if repairs else {}
        notes.facts["model"] = told

    def step(self) -> Step:
        """Return what all of it came to, for the end of the trace."""
        spent = self.spending
        cost = cost_of(spent.usage, self.settings)
        facts: dict[str, Json] = {
            "name": str(self.chat.model.identity),
            "workflow": f"{self.chat.workflow.name} {self.chat.workflow.version}",
            "calls": spent.calls,
            "read": spent.usage.read,
            "written": spent.usage.written,
            "retries": spent.retries,
            "fallbacks": [*self.fallbacks, *self._skipped()],
        }
        return Step("model", facts if cost is None else {**facts, "cost": round(cost, 6)})


def prompt_of(agent: Agent, said: str) -> Prompt:
    """Return an agent's instructions and what it is told, to be answered by its schema."""
    return Prompt(
        (Message(Speaker.SYSTEM, agent.instructions), Message(Speaker.USER, said)),
        schema=agent.schema,
        temperature=agent.temperature,
        max_tokens=agent.max_tokens,
    )
