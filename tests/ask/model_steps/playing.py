"""A model that plays each agent of the workflow by a table, and pages to ask it about."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from sextant.ask.model_steps.chat import Chat
from sextant.ask.question import Question
from sextant.ask.workflow.load import load
from sextant.ask.workflow.nouns import Workflow
from sextant.core import Sextant
from sextant.errors import ModelError
from sextant.testing.scripted import Scripted
from sextant.types import Answer, Delta, Ended, ModelIdentity, Prompt, Reply, Scope, TextDelta
from tests.ingest.folders import Tree, workplace

NOW = datetime(2026, 10, 31, tzinfo=UTC)
TREE: Tree = {
    "service-a.md": "# Service A\n\nService A depends on Harbor Queue. Its limit is 40 a second.\n",
    "queue.md": "# Harbor Queue\n\nHarbor Queue is owned by Team Keel. It keeps messages for 72 "
    "hours.\n",
    "keel.md": "# Team Keel\n\nTeam Keel is led by Wilhe Dorn. The team sits in Oslo.\n",
}
QUIET: dict[str, object] = {
    "rag-intent-router-schema": {
        "should_run_rag": True,
        "route": "run_rag",
        "assistant_message": "",
    },
    "rag-query-plan-schema": {"queries": [], "retrieval_goals": [], "filter": ""},
    "rag-rerank-schema": {
        "selected_chunk_texts": ["", ""],
        "selected_sources": ["Harbor Queue", "Team Keel"],
        "selected_rationales": ["names the owner", "says who leads it"],
        "missing_info_questions": [],
    },
    "rag-evidence-schema": {
        "is_sufficient": True,
        "confidence": 0.9,
        "key_points": ["Harbor Queue is owned by Team Keel."],
        "key_point_sources": ["Harbor Queue"],
        "missing_info_questions": [],
        "followup_queries": [],
        "followup_retrieval_goals": [],
    },
    "rag-answer-schema": {
        "answer_markdown": "Team Keel owns Harbor Queue. [Harbor Queue]",
        "sources": ["Harbor Queue"],
    },
    "rephrase-schema": {"phrasings": ["to whom does the queue belong"]},
}
"""What a well-behaved model says to `Who owns Harbor Queue?`."""

Saying = object | Callable[[Prompt], object]


def playing(**said: Saying) -> Scripted:
    """Return a model that plays the agents, with these replies in place of the usual ones."""
    table = {**QUIET, **{_schema(name): value for name, value in said.items()}}

    def script(prompt: Prompt) -> str | Reply | ModelError:
        assert prompt.schema is not None
        value = table[prompt.schema.name]
        value = value(prompt) if callable(value) else value
        return value if isinstance(value, str | Reply | ModelError) else json.dumps(value)

    return Scripted(script)


@dataclass(slots=True)
class Stalling:
    """Plays like another model, but its second answer never ends; or says nothing at all."""

    model: Scripted
    is_silent: bool = False
    answers: int = 0

    @property
    def identity(self) -> ModelIdentity:
        """Whom it plays like."""
        return self.model.identity

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """Reply, and stall at the end of the second answer."""
        if self.is_silent:
            await asyncio.Event().wait()
        is_answer = prompt.schema is not None and prompt.schema.name == "rag-answer-schema"
        self.answers += is_answer
        if is_answer and self.answers == 1:
            yield TextDelta("no JSON")
            yield Ended()
            return
        async for delta in self.model.stream(prompt):
            if is_answer and isinstance(delta, Ended):
                await asyncio.Event().wait()
            yield delta

    async def close(self) -> None:
        """Nothing is held open."""


def _schema(name: str) -> str:
    own = name.replace("_", "-")
    return f"{own}-schema" if own == "rephrase" else f"rag-{own}-schema"


def asked(model: Scripted, name: str) -> list[str]:
    """Return what an agent was told, each time."""
    return [
        one.messages[-1].text
        for one in model.prompts
        if one.schema is not None and re.search(rf"\b{name}\b", one.schema.name)
    ]


def with_model(sextant: Sextant, model: Scripted, workflow: Workflow | None = None) -> Sextant:
    """Return the same Sextant with a model that takes part."""
    return replace(sextant, chat=Chat(model, workflow or load()))


def in_place(
    task: Callable[[Sextant], Coroutine[Any, Any, None]], tree: Tree | None = None
) -> None:
    """Run a task where the pages have been taken in."""

    async def run() -> None:
        async with workplace() as place:
            await place.take_in(tree or TREE)
            await task(place.sextant)

    asyncio.run(run())


async def ask(sextant: Sextant, text: str = "Who owns Harbor Queue?", **more: Any) -> Answer:
    """Ask as nobody in particular, on a fixed day."""
    return await sextant.ask(Scope(), Question(text, now=NOW, **more))
