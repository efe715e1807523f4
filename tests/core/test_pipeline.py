"""Searching alone gives what searching with everything gives: the same line, other hands."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sextant.ask.question import Means, Question
from sextant.core import Sextant
from sextant.core.orchestration import Orchestration
from sextant.core.pipeline import Pipeline
from sextant.errors import InvalidInput
from sextant.text.words import Words
from sextant.types import Reordered, Rephrased, Scope, Trace
from tests.ask.model_steps.playing import NOW, in_place, playing, with_model

ASKED = Question("Who owns Harbor Queue?", now=NOW, rephrase=True, rerank=True)
MODEL = playing(
    rephrase={"phrasings": ["owner of HQ"]},
    rerank={
        "selected_chunk_texts": [""],
        "selected_sources": ["Team Keel"],
        "selected_rationales": ["says who leads it"],
        "missing_info_questions": [],
    },
)


async def nothing() -> None:
    """Nothing is open that is not somebody else's."""


def pipeline_of(sextant: Sextant, orchestration: Orchestration | None) -> Pipeline:
    words = Words(sextant.settings.keyword.language)
    means = Means(sextant.store, sextant.embedder, sextant.settings, words)
    return Pipeline(replace(means, orchestrator=orchestration), nothing)


def told(trace: Trace) -> list[object]:
    """Return the steps but for what the model of a whole Sextant has come to."""
    return [step for step in trace.steps if step.name != "model"]


def test_a_model_behind_an_orchestration_ranks_as_one_of_its_own() -> None:
    async def task(sextant: Sextant) -> None:
        whole = with_model(sextant, MODEL)
        expected = await whole.search(Scope(), ASKED)
        found = await pipeline_of(whole, whole.orchestration).search(Scope(), ASKED)
        assert found.hits == expected.hits
        assert found.hits[0].passage.document.title == "Team Keel"
        assert found.hits[0].why == "says who leads it"
        assert told(found.trace) == told(expected.trace)

    in_place(task)


@pytest.mark.parametrize("is_there", [True, False])
def test_without_a_model_it_finds_what_a_whole_sextant_finds(is_there: bool) -> None:
    async def task(sextant: Sextant) -> None:
        expected = await sextant.search(Scope(), ASKED)
        alone = pipeline_of(sextant, sextant.orchestration if is_there else None)
        assert (await alone.search(Scope(), ASKED)).hits == expected.hits

    in_place(task)


def test_what_an_orchestrator_makes_up_is_no_hit() -> None:
    class Liar:
        async def rephrase(self, text: str, known: object, seconds: float) -> Rephrased:
            return Rephrased((), {}, f"Without the model: {seconds > 0} {bool(text)} {known}")

        async def rerank(self, text: str, hits: object, seconds: float) -> Reordered:
            from sextant.types import Chosen

            chosen = (Chosen("nowhere#1", "made up"),)
            return Reordered(chosen, {"name": f"{text} {seconds} {bool(hits)}"})

    async def task(sextant: Sextant) -> None:
        alone = pipeline_of(sextant, None)
        found = await replace(alone, means=replace(alone.means, orchestrator=Liar())).search(
            Scope(), ASKED
        )
        expected = await sextant.search(Scope(), replace(ASKED, rephrase=False))
        assert found.hits == expected.hits
        assert found.trace.steps[-1].facts["selected"] == []

    in_place(task)


def test_a_scope_for_which_nobody_can_ask_is_refused() -> None:
    async def task(sextant: Sextant) -> None:
        with pytest.raises(InvalidInput):
            await pipeline_of(sextant, None).search(Scope(user="sextant:profiles"), ASKED)

    in_place(task)
