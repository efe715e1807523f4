"""A passage in its smallest pieces: sentences, rows, records, remarks in code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.text.units import units_of
from tests.ask.evidence.pieces import passage

LAYOUTS = st.lists(
    st.sampled_from(
        [
            "# Heading",
            "| a | b |",
            "|---|---|",
            "x | y | z",
            "key: value",
            "  -",
            "  - name: it",
            "// remark",
            "code = 1",
            "A sentence. Another one!",
            "- an item",
            "1. a step",
            ":date: today",
            "",
            "ends with a colon:",
        ]
    ),
    max_size=30,
).map("\n".join)


def texts(text: str, **fields: object) -> list[str]:
    return [unit.text for unit in units_of(passage("d", text, **fields))]  # type: ignore[arg-type]


def test_prose_is_cut_into_sentences_on_one_line_each() -> None:
    assert texts("It waits\nfor an answer. Nobody minds.") == [
        "It waits for an answer.",
        "Nobody minds.",
    ]


def test_a_sentence_that_goes_on_from_the_one_before_stays_with_it() -> None:
    held = "The cart is held for 20 minutes. After that it is released."
    assert texts(f"{held} Nobody minds.") == [held, "Nobody minds."]
    assert texts("The cart is held.\n\nAfter that it is released.") == [
        "The cart is held.",
        "After that it is released.",
    ]


def test_the_sentences_of_a_step_stay_together() -> None:
    assert texts("1. Restart one pod. Never restart all.\n2. Wait.") == [
        "Restart one pod. Never restart all.",
        "Wait.",
    ]


def test_a_heading_is_no_sentence_but_what_follows_stands_under_it() -> None:
    units = units_of(passage("d", "# Limits\n\nAt most 5 are sent."))
    assert [(unit.text, unit.under) for unit in units] == [("At most 5 are sent.", "Limits")]


@pytest.mark.parametrize("heading", ["## Limits\n", "## Limits ##\n\n", "Limits\n------\n"])
def test_what_follows_a_heading_at_once_is_read(heading: str) -> None:
    units = units_of(passage("d", f"{heading}At most 5 are sent. The rest waits."))
    assert [(unit.text, unit.under) for unit in units] == [
        ("At most 5 are sent.", "Limits"),
        ("The rest waits.", "Limits"),
    ]


def test_a_row_is_read_with_the_heads_of_its_columns() -> None:
    table = "| Tier | First page |\n|---|---|\n| 1 | at once |\n| 2 | office hours |"
    assert texts(table) == ["Tier: 1; First page: at once.", "Tier: 2; First page: office hours."]


def test_the_quote_of_a_row_is_the_row_as_it_stands() -> None:
    text = "team | primary\nTeam Y | Mira"
    unit = units_of(passage("d", text))[0]
    assert text[unit.start : unit.end] == "Team Y | Mira"


def test_a_record_of_a_list_is_one_piece() -> None:
    text = "contacts:\n  -\n    team: Team Y\n    duty_extension: 4410\n  -\n    team: Team Z\n"
    assert texts(text + "    duty_extension: 4420") == [
        "contacts:",
        "team: Team Y; duty extension: 4410.",
        "team: Team Z; duty extension: 4420.",
    ]


def test_fields_without_a_list_are_pieces_of_their_own() -> None:
    assert texts("title: Contacts\nnote: Call first.") == ["title: Contacts.", "note: Call first."]


def test_a_label_within_prose_does_not_break_its_sentence() -> None:
    assert texts("Why: in the outage the desk was called two\nminutes before the end.") == [
        "Why: in the outage the desk was called two minutes before the end."
    ]


def test_a_remark_in_code_goes_with_the_line_that_it_explains() -> None:
    text = "package retry\n\n\t// CallTimeout is how long we wait.\n\tCallTimeout = 12\n"
    found = texts(text, metadata={"sextant:format": "code"})
    assert found == ["package retry", "CallTimeout is how long we wait. CallTimeout = 12"]


def test_an_item_stands_under_the_sentence_that_introduces_it() -> None:
    units = units_of(passage("d", "You need two things:\n- a key\n- a word"))
    assert [(unit.text, unit.under) for unit in units[1:]] == [
        ("a key", "You need two things:"),
        ("a word", "You need two things:"),
    ]


def test_a_sentence_without_an_end_is_cut_between_words() -> None:
    unit = units_of(passage("d", "word " * 1000))[0]
    assert len(unit.text) <= 600
    assert unit.text.endswith("word")


@given(LAYOUTS | st.text(max_size=400), st.booleans())
def test_every_piece_stands_in_its_passage(text: str, code: bool) -> None:
    metadata = {"sextant:format": "code"} if code else {}
    at = 0
    for unit in units_of(passage("d", text, metadata=metadata)):
        assert at <= unit.start < unit.end <= len(text)
        assert unit.text == " ".join(unit.text.split())
        at = unit.start


def test_an_underlined_title_is_no_sentence() -> None:
    assert texts("RB-150: Slow\n============\n\nCall the desk.") == ["Call the desk."]
