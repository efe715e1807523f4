"""Reading a saved answer: all of it comes back, and what is doubtful is refused in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.record.fields import digest_of, record_fields, saved
from sextant.ask.record.load import MOST, answer_of, read
from sextant.errors import InvalidInput, TooLarge
from sextant.types import Answer
from tests.ask.record.answers import ANSWER, answers, values


@given(answers)
def test_an_answer_comes_back_as_it_was_with_its_times(answer: Answer) -> None:
    again = read(saved(answer))
    assert again.answer == answer == answer_of(record_fields(answer))
    assert again.digest == digest_of(again.answer)
    assert record_fields(again.answer) == record_fields(answer)


@given(answers, st.data())
def test_no_part_can_be_left_out_or_be_something_else(answer: Answer, data: st.DataObject) -> None:
    told = record_fields(answer)
    name = data.draw(st.sampled_from(sorted(told)))
    if name != "state" and data.draw(st.booleans()):
        del told[name]
    else:
        told[name] = data.draw(values.filter(lambda value: type(value) is not type(told[name])))
    with pytest.raises(InvalidInput) as refused:
        answer_of(told)
    assert refused.value.hint


@given(answers)
def test_an_answer_that_was_saved_without_its_state_has_the_same(answer: Answer) -> None:
    told = record_fields(answer)
    state = told.pop("state")
    assert answer_of(told).state == state


@given(st.text() | values.map(json.dumps))
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="This is no saved answer"):
        read(text)


def put(*path: str | int, value: object) -> Callable[[Any], None]:
    def change(told: Any) -> None:
        for name in path[:-1]:
            told = told[name]
        told[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("format", value=2), "its format is '2', and 1 is read"),
        (put("format", value=True), "format is not a whole number"),
        (put("more", value=1), "the whole has an unknown field 'more'"),
        (put("text", value=3), "text is not a text"),
        (put("text", value="\ud800"), "text holds half of a surrogate pair"),
        (put("verdict", "sufficient", value=1), "verdict.sufficient is not true or false"),
        (put("verdict", "confidence", value=float("nan")), "verdict.confidence is not a number"),
        (put("citations", 0, "start", value=1.5), "citations[0].start is not a whole number"),
        (put("citations", value={}), "citations is no list"),
        (put("citations", 0, value=[]), "citations[0] is no object"),
        (put("statements", 0, "labels", 0, value=None), "statements[0].labels[0] is not a text"),
        (
            put("statements", 0, "relations", 0, value={}),
            "statements[0].relations[0] has no field 'source'",
        ),
        (put("trace", "steps", 0, "facts", value=[]), "trace.steps[0].facts is no object"),
        (
            put("trace", "steps", 0, "facts", value={"x": float("inf")}),
            "trace.steps[0].facts is not a number",
        ),
        (put("trace", "steps", 0, "facts", value={"x": object()}), "is nothing that JSON has"),
        (put("timing", value=[]), "timing is no list of 1 steps"),
        (put("timing", 0, "step", value="link"), "timing[0] is not about 'route'"),
        (put("timing", 0, "milliseconds", value="1"), "timing[0].milliseconds is not a number"),
        (put("digest", value=None), "digest is not a text"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(change: Callable[[Any], None], words: str) -> None:
    told = record_fields(ANSWER)
    change(told)
    with pytest.raises(InvalidInput) as refused:
        answer_of(told)
    assert words in refused.value.message
    assert "--save" in refused.value.hint


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it is no JSON"),
        ("{", "it is no JSON"),
        ("null", "the whole is no object"),
        ('{"format": 1, "format": 1}', "a field comes twice"),
        ('{"format": NaN}', "NaN is no number in JSON"),
        ('{"format": 1' + "0" * 5_000 + "}", "it is no JSON"),
        ("[" * 100_000, "it is nested too deeply"),
    ],
)
def test_what_is_no_json_is_said_to_be_none(text: str, words: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read(text)
    assert words in refused.value.message


def test_a_nest_of_lists_is_refused() -> None:
    told = record_fields(ANSWER)
    nest: list[Any] = []
    for _ in range(100):
        nest = [nest]
    told["trace"]["steps"][0]["facts"]["x"] = nest
    with pytest.raises(InvalidInput, match="nested deeper than 32"):
        answer_of(told)


def test_a_file_that_is_too_large_is_not_parsed() -> None:
    with pytest.raises(TooLarge, match="at most 8,000,000 characters"):
        read(" " * (MOST + 1))


def test_whole_numbers_may_stand_for_numbers() -> None:
    told = record_fields(ANSWER)
    told["verdict"]["confidence"] = 1
    assert answer_of(told).verdict.confidence == 1.0
