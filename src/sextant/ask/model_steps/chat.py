"""The models that a question may be put to, and the workflow that says how. Knows no step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sextant.ask.workflow.nouns import Workflow
from sextant.ports import ChatModel, Retriever


@dataclass(frozen=True, slots=True)
class Chat:
    """A model, those of agents that have their own, and an outside retriever where one is set."""

    model: ChatModel
    workflow: Workflow
    own: Mapping[str, ChatModel] = field(default_factory=dict)
    retriever: Retriever | None = None
    offered: tuple[ChatModel, ...] = ()
    """Those that a client may choose for a run."""

    def model_of(self, agent: str) -> ChatModel:
        """Return the model that an agent speaks with."""
        return self.own.get(agent, self.model)

    async def close(self) -> None:
        """Let go of all of them."""
        for model in (self.model, *self.own.values(), *self.offered):
            await model.close()
        if self.retriever:
            await self.retriever.close()
