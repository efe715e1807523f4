"""Reading a set of questions: every line is one, or it is said which is none."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sextant
from sextant.ask.evaluate.cases import Case, chosen, question_of, read_cases
from sextant.ask.question import Question
from sextant.errors import InvalidInput
from sextant.types import Role, Turn

SAMPLE = Path(sextant.__file__).parent / "sample" / "questions.jsonl"


def line(**fields: object) -> str:
    return json.dumps({"question": "Who owns it?", **fields})


def test_the_sample_questions_are_read_in_their_order() -> None:
    text = SAMPLE.read_text(encoding="utf-8")
    cases = read_cases(text)
    assert [case.id for case in cases] == [json.loads(own)["id"] for own in text.splitlines()]
    assert {case.kind for case in cases if not case.is_answerable} == {"unanswerable"}
    follow_ups = [case for case in cases if case.kind == "follow-up"]
    assert all(case.history[0].role == Role.USER for case in follow_ups)


def test_a_question_alone_is_enough() -> None:
    assert read_cases(f"\ufeff\n{line()}\r\n\n") == (Case("Who owns it?", "line-2"),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The set has no question"),
        ("\n \n", "The set has no question"),
        (f"{line()}\nnonsense", "Line 2 is no question: it is no JSON"),
        ("[]", "Line 1 is no question: the whole is no object"),
        ('{"id": "a"}', "Line 1 is no question: the whole has no field 'question'"),
        (line(question=" "), "Line 1 is no question: the question is empty"),
        (line(must="Team Y"), "Line 1 is no question: must is no list"),
        (line(must_nott=[]), "Line 1 is no question: the whole has an unknown field 'must_nott'"),
        (line(today="soon"), "Line 1 is no question: today is 'soon', which is not a date"),
        (line(history=[{"role": "god", "text": ""}]), "history[0].role is none of user, assistant"),
        (f"{line(id='a')}\n{line(id='a')}", "Line 2 is no question: the id 'a' comes twice"),
    ],
)
def test_what_is_wrong_with_a_set_is_said_of_its_line(text: str, words: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_cases(text)
    assert words in refused.value.message
    assert "must_not" in refused.value.hint


@given(st.text())
def test_any_text_is_a_set_or_is_refused(text: str) -> None:
    with suppress(InvalidInput):
        assert read_cases(text)


def test_a_case_is_asked_on_its_day_with_its_history_and_else_like_another() -> None:
    now = datetime(2026, 10, 31, tzinfo=UTC)
    like = Question("", k=5, now=now)
    history = (Turn(Role.USER, "What is Process X?"),)
    dated = Case("And then?", today="2026-03-31", history=history)
    assert question_of(dated, like) == Question(
        "And then?", history, k=5, now=datetime(2026, 3, 31, tzinfo=UTC)
    )
    assert question_of(Case("And?"), like) == Question("And?", k=5, now=now)


def test_splits_and_kinds_are_chosen_and_cut() -> None:
    cases = tuple(
        Case("?", f"{kind}-{split}", kind, split) for kind in ("a", "b") for split in ("x", "y")
    )
    assert chosen(cases) == cases
    assert [case.id for case in chosen(cases, ["x"])] == ["a-x", "b-x"]
    assert [case.id for case in chosen(cases, ["x", "y"], ["b"], 1)] == ["b-x"]
    with pytest.raises(InvalidInput) as refused:
        chosen(cases, ["z"])
    assert refused.value.hint == "Its kinds and splits: a, b, x, y."
