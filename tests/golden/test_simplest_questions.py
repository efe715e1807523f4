"""The simplest questions about the sample: what stands first, and what must not stand anywhere."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sextant.ask.question import Question
from sextant.build import open_sextant
from sextant.types import Answer, AnswerState, Scope
from tests.golden.sample import sample_settings

NOW = datetime(2026, 10, 31, tzinfo=UTC)
_LABELS = re.compile(r"(?: \[[^\]]*\])+$", re.MULTILINE)


def ask(store: Path, text: str) -> Answer:
    async def task() -> Answer:
        async with await open_sextant(sample_settings(store)) as sextant:
            answer = await sextant.ask(Scope(), Question(text, now=NOW))
            checked = await sextant.verify(Scope(), answer)
            assert checked.ok, checked.failed
            return answer

    return asyncio.run(task())


def paragraphs(answer: Answer) -> list[str]:
    """Return the paragraphs of an answer without the labels of their sources."""
    return _LABELS.sub("", answer.text).split("\n\n")


@pytest.mark.parametrize(
    ("question", "first", "nowhere"),
    [
        ("Who owns Service A?", "Service A is owned by Team Juniper.", ["Service A2", "Yarrow"]),
        ("Who owns Service A2?", "Service A2 is owned by Team Yarrow.", ["Juniper"]),
        (
            "Who leads Team Y?",
            "Ilse Marrin has led Team Y since 13 January 2025.",
            ["Yarrow", "is a user", "is an user"],
        ),
        (
            "Does Process X depend on Service A?",
            "Yes: Process X depends on Service A.",
            ["Another source"],
        ),
        (
            "Who leads the team that owns Service A?",
            "Service A is owned by Team Juniper, which is led by Tomas Quell.",
            ["Team Y"],
        ),
    ],
)
def test_an_edge_is_the_first_sentence_and_nothing_else_is_said(
    knowledge: Path, question: str, first: str, nowhere: list[str]
) -> None:
    answer = ask(knowledge, question)

    assert answer.state is AnswerState.KNOWN
    assert paragraphs(answer)[0] == first
    assert not [one for one in nowhere if one in answer.text]
    assert not answer.verdict.missing


def test_what_breaks_and_who_is_called_are_a_paragraph_each(knowledge: Path) -> None:
    answer = ask(knowledge, "If Service A fails, what breaks and who owns escalation?")
    breaks, calls, older, *_ = paragraphs(answer)

    assert breaks.startswith(
        "Checkout Capture, Process X and Pier Bookings depend on Service A; through Process X also "
        "Claims Handling and Merchant Payout"
    )
    assert calls == "Service A escalates to Team Y."
    assert older.startswith("An older source says otherwise:")
    assert "Team Q" in older
    assert answer.state is AnswerState.KNOWN


def test_an_unknown_name_is_said_to_be_unknown_and_no_near_one_takes_its_place(
    knowledge: Path,
) -> None:
    answer = ask(knowledge, "Who owns Service Q?")

    assert answer.text == "Nothing here is called Service Q. Did you mean Service A?"
    assert answer.state is AnswerState.NOTHING
    assert [one.query for one in answer.verdict.follow_ups] == ["Who owns Service A?"]


def test_what_nobody_wrote_down_is_said_in_the_words_of_the_question(knowledge: Path) -> None:
    answer = ask(knowledge, "who is the CEO")

    assert answer.text == "The knowledge does not say who the CEO is."
    assert answer.state is AnswerState.NOTHING


def test_what_is_counted_is_of_the_sort_that_is_asked_for(knowledge: Path) -> None:
    answer = ask(knowledge, "How many services does Team Keel own?")

    assert "Tide Scheduler" in answer.text
    assert not [one for one in ("INC-", "RB-") if one in answer.text]
