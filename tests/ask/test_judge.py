"""Whether evidence is enough: the signs, the fitted coefficients and the two doubts."""

from __future__ import annotations

import asyncio
from dataclasses import astuple, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.judge import confidence_of, fitted, with_open_parts
from sextant.ask.judging.signs import NAMES, Signs
from sextant.ask.question import Question
from sextant.build import open_sextant
from sextant.settings import Settings
from sextant.types import Answer, Chunk, Document, Put, Scope, Verdict
from tests.ingest.folders import Tree, workplace

NOTHING = Signs(*([0.0] * len(NAMES)))


def answered(tree: Tree, text: str) -> Answer:
    """Ask a question of a few pages."""

    async def run() -> Answer:
        async with workplace() as place:
            await place.take_in(tree)
            return await place.sextant.ask(Scope(), Question(text))

    return asyncio.run(run())


def test_there_is_a_coefficient_for_every_sign() -> None:
    for is_read in (True, False):
        assert len(fitted(is_read=is_read).weights) == len(NAMES)
        assert fitted(is_read=is_read).threshold == 0.5


@given(st.lists(st.floats(-1e6, 1e6), min_size=len(NAMES), max_size=len(NAMES)))
def test_a_confidence_lies_between_nothing_and_all(values: list[float]) -> None:
    for is_read in (True, False):
        assert 0.0 <= confidence_of(Signs(*values), fitted(is_read=is_read)) <= 1.0


def test_nearer_evidence_is_surer_and_a_lacking_word_is_a_doubt() -> None:
    near, lacking = replace(NOTHING, nearness=0.8), replace(NOTHING, lacking=0.8)
    known = fitted(is_read=False)
    nothing = confidence_of(NOTHING, known)
    assert confidence_of(lacking, known) < nothing < confidence_of(near, known)


def test_evidence_that_was_read_is_surer_if_a_piece_is_what_is_asked_for() -> None:
    known = fitted(is_read=True)
    meant, lacking = replace(NOTHING, meant=1.0), replace(NOTHING, lacking=0.8)
    nothing = confidence_of(NOTHING, known)
    assert confidence_of(lacking, known) < nothing < confidence_of(meant, known)


def test_what_is_said_makes_an_answer_surer_if_it_is_likely_what_is_asked_for() -> None:
    known = fitted(is_read=True)
    unlikely = replace(NOTHING, meant=0.5, meant_by_first=-0.5, meant_by_any=-0.5)
    likely = replace(NOTHING, meant=0.5, meant_by_first=0.5, meant_by_any=0.5, likeliest_first=1.0)
    assert confidence_of(unlikely, known) < confidence_of(likely, known)


def test_every_sign_is_a_number_also_where_nothing_was_found() -> None:
    answer = answered({"a.md": "# A\n\nText.\n"}, "Who owns Zephyr Logistics?")
    judged = answer.trace.step("judge")
    assert judged is not None
    assert set(judged.facts["signs"]) == set(NAMES)  # type: ignore[arg-type]
    assert len(astuple(NOTHING)) == len(NAMES)


@pytest.mark.parametrize(
    "said",
    [
        "The thresholds of Fathom are known to the finance department only.",
        "The thresholds of Fathom are not written down here.",
        "The thresholds of Fathom are to be decided.",
    ],
)
def test_a_source_that_withholds_the_answer_gives_none(said: str) -> None:
    page = f"# Fathom\n\nFathom scores payments. {said}\n"
    answer = answered({"fathom.md": page}, "What are the thresholds of Fathom?")
    assert not answer.verdict.sufficient
    assert answer.verdict.confidence <= 0.2


def test_what_had_not_been_published_is_not_withheld() -> None:
    page = "# Outage\n\nThe cause of the outage: Atlas had not published its signing key in time.\n"
    answer = answered({"outage.md": page}, "What was the cause of the outage?")
    assert answer.verdict.confidence > 0.2


def test_the_only_page_there_is_can_answer() -> None:
    async def task() -> None:
        text = "Restart the pods when Service A fails."
        page = Put(Document("runbook", "Service A"), (Chunk("runbook#c1", text, 0, len(text)),))
        async with await open_sextant(Settings(store="memory:")) as sextant:
            await sextant.write(Scope(), [page])
            answer = await sextant.ask(Scope(), "What do I do when Service A fails?")
            assert answer.verdict.sufficient
            assert not (await sextant.ask(Scope(), "Who is the CEO?")).verdict.sufficient

    asyncio.run(task())


def test_a_question_of_which_a_part_is_open_is_not_known_and_says_which() -> None:
    known = Verdict(True, 0.9)
    verdict = with_open_parts(known, ["Which port is it?"])
    assert not verdict.sufficient
    assert verdict.confidence < fitted(is_read=True).threshold
    assert verdict.missing == ("Which port is it?",)
    assert with_open_parts(known, []) == known
