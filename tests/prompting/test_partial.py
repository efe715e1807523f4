"""One field out of JSON in pieces: the same text as from the whole, wherever it was cut."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.prompting.partial import GrowingField, mended

NAME = "answer_markdown"
TEXTS = st.text(st.characters() | st.sampled_from([*'"\\/{}[]:,\n\t\b', "😀", "\ud83d", "\ude00"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda own: st.lists(own, max_size=3) | st.dictionaries(TEXTS | st.just(NAME), own, max_size=3),
    max_leaves=6,
)
OBJECTS = st.tuples(
    st.dictionaries(TEXTS.filter(lambda name: name != NAME), VALUES, max_size=3),
    TEXTS,
    st.dictionaries(TEXTS.filter(lambda name: name != NAME), VALUES, max_size=3),
).map(lambda own: {**own[0], NAME: own[1], **own[2]})


def grown(pieces: list[str]) -> list[str]:
    field = GrowingField(NAME)
    return [field.feed(piece) for piece in pieces]


def cut(text: str, places: list[int]) -> list[str]:
    ends = sorted({place % (len(text) + 1) for place in places})
    return [text[a:b] for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]


@given(
    OBJECTS,
    st.booleans(),
    st.sampled_from([None, 2]),
    st.booleans(),
    st.lists(st.integers(0, 10_000), max_size=12),
)
def test_the_pieces_are_the_whole_text(
    value: dict[str, object], ascii_: bool, indent: int | None, fenced: bool, places: list[int]
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_, indent=indent)
    text = f"```json\n{text}\n```" if fenced else text
    assert "".join(grown(cut(text, places))) == mended(str(value[NAME]))


@given(TEXTS)
def test_sign_by_sign_nothing_is_held_back_but_half_an_escape(text: str) -> None:
    written = json.dumps({NAME: text})
    assert "".join(grown(list(written))) == mended(text)


def test_what_has_come_is_told_before_the_end() -> None:
    assert grown(['{"answer_markdown": "Team', " Y\\", "n owns \\u00", "e9 it"]) == [
        "Team",
        " Y",
        "\n owns ",
        "é it",
    ]


def test_a_pair_that_is_cut_in_two_is_one_sign() -> None:
    assert grown(['{"answer_markdown": "a\\ud83d', '\\ude00b"}']) == ["a", "😀b"]


def test_the_first_of_two_fields_with_one_name_counts_and_those_below_do_not() -> None:
    text = '{"a": {"answer_markdown": "no"}, "answer_markdown": "yes", "answer_markdown": "no"}'
    assert "".join(grown([text])) == "yes"


def test_a_value_that_is_no_text_is_nothing() -> None:
    assert "".join(grown(['{"answer_markdown": ["x"], "sources": ["y"]}'])) == ""


@pytest.mark.parametrize("text", ["Team Y owns it.", "# {", "[1]", "``` python\n{", "````{"])
def test_what_is_no_object_is_known_at_once(text: str) -> None:
    field = GrowingField(NAME)
    assert "".join(map(field.feed, text)) == ""
    assert field.is_other


@pytest.mark.parametrize(
    "text", ["", " \n", "``", "```js", "```json\n", ' {"', '```JSON\n {"a": 1}']
)
def test_what_may_still_become_an_object_is_waited_for(text: str) -> None:
    field = GrowingField(NAME)
    field.feed(text)
    assert not field.is_other


@given(st.text())
def test_nothing_that_a_model_says_breaks_it(text: str) -> None:
    field = GrowingField(NAME)
    assert all(sign == mended(sign) for sign in map(field.feed, '{"answer_markdown":"' + text))
