"""A real model, a very small one, takes part in the whole line over HTTP."""

from __future__ import annotations

from dataclasses import replace

from sextant.ask.model_steps.chat import Chat
from sextant.ask.workflow.load import load
from sextant.ask.workflow.nouns import Workflow
from sextant.build import open_llm
from sextant.core import Sextant
from sextant.settings import ModelSettings
from sextant.types import Scope
from tests.ask.model_steps.playing import ask, in_place

PATIENT = ModelSettings(read_seconds=600, total_seconds=1_200, retries=0)
TAKING_PART = ("intent-router", "query-plan", "answer")


def unhurried() -> Workflow:
    """The shipped agents, the longest replies left out, with time for a small machine."""
    shipped = load()
    agents = {
        name: replace(
            agent,
            model=agent.model if name in TAKING_PART else "none",
            max_tokens=100,
            seconds=600.0,
        )
        for name, agent in shipped.agents.items()
    }
    return replace(shipped, agents=agents, limits=replace(shipped.limits, seconds=1_800.0))


def test_a_small_real_model_is_heard_and_the_answer_stays_cited(smollm: str) -> None:
    async def task(sextant: Sextant) -> None:
        settings = replace(sextant.settings, llm=f"{smollm}/v1", model=PATIENT)
        model = open_llm(settings)
        assert model is not None
        own = replace(sextant, settings=settings, chat=Chat(model, unhurried()))
        answer = await ask(own)
        await model.close()
        assert "Team Keel" in answer.text
        assert answer.citations
        assert (await own.verify(Scope(), answer)).ok
        told = answer.trace.step("model")
        assert told is not None
        read, written = told.facts["read"], told.facts["written"]
        assert isinstance(read, int)
        assert isinstance(written, int)
        assert read > 500
        assert written > 10

    in_place(task)
