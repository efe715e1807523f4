"""Markdown in pieces: the same sentences wherever it was cut, each with what it cites."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sextant.ask.grounding.splitting import Kind, Saying, Splitter

PARTS = [
    "It waits 800 ms [A]. ",
    "It stops.[A][B] ",
    "It stops. [Service A, 2] [B] ",
    "See [text](https://evil.example/a.b) ",
    "Dr. Who e.g. waits ",
    "Run `a. B [c]` now. ",
    "\n",
    "\n\n",
    "- item [A]",
    "\n- one. Two [A]\n",
    "  * [x] deep\n",
    "1. first\n2) second\n",
    "## Head\n",
    "| a | b |\n|---|---|\n| 1 | 2 [A] |\n",
    "```\ncode. Here\n```\n",
    "> quoted. ",
    "The steps:",
    "**Bold:** it is. ",
    "[open ",
    "`open ",
    "[x]: https://evil.example\n",
    "word ",
    "A. B. C. ",
    "!?",
    "---\n",
    "。他",
]
TEXTS = st.lists(st.sampled_from(PARTS) | st.text("ab. [`]\n-#|1", max_size=6), max_size=10).map(
    "".join
)


def split(*pieces: str) -> list[Saying]:
    splitter = Splitter()
    return [saying for piece in pieces for saying in splitter.feed(piece)] + splitter.end()


def texts(*pieces: str) -> list[str]:
    return [saying.text for saying in split(*pieces)]


@given(TEXTS, st.lists(st.integers(0, 400), max_size=10))
@example("It waits 800 ms [A]. 1[Dr. Who e.g. waits Run `a. B [c]` now. ]", [])
@example("It waits 800 ms [A]. [open `]1 `", [])
def test_pieces_do_not_show_in_what_comes_out(text: str, places: list[int]) -> None:
    ends = sorted({place % (len(text) + 1) for place in places})
    pieces = [text[a:b] for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]
    assert split(*pieces) == split(text) == split(*text)


@given(TEXTS)
def test_no_sentence_is_told_twice(text: str) -> None:
    found = [saying for saying in split(text) if saying.kind is not Kind.ROW]
    told = "".join("".join(saying.text.split()) for saying in found)
    assert all(told.count(sign) <= text.count(sign) for sign in "`.w")


def test_a_sentence_is_given_back_once_the_next_has_begun() -> None:
    splitter = Splitter()
    assert splitter.feed("It waits. It") == []
    assert [one.text for one in splitter.feed(" stops")] == ["It waits."]
    assert [one.text for one in splitter.end()] == ["It stops"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It waits [A]. It stops [B].", ["It waits [A].", "It stops [B]."]),
        ("It waits. [A] It stops. [B]", ["It waits. [A]", "It stops. [B]"]),
        ("It waits.[A][B] It stops.[B]", ["It waits.[A][B]", "It stops.[B]"]),
        ("It waits. [Dr. No. Two] It stops.", ["It waits. [Dr. No. Two]", "It stops."]),
        ("It is owned\nby Team Y [A].", ["It is owned by Team Y [A]."]),
        ("Owner: Y [A]\nTime: 5 [A]", ["Owner: Y [A]", "Time: 5 [A]"]),
        ("Run `a. B` now. Stop.", ["Run `a. B` now.", "Stop."]),
    ],
)
def test_citations_belong_to_the_sentence_before_them(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_lists_headings_and_code_are_told_apart() -> None:
    found = split("## Steps\nDo this:\n- One. Two. [A]\n  - Three\n\n1. Four\n```\nx\n```\nEnd.")
    assert [(one.kind, one.lead, one.text, one.is_apart) for one in found] == [
        (Kind.HEADING, "## ", "Steps", True),
        (Kind.SENTENCE, "", "Do this:", True),
        (Kind.ITEM, "- ", "One.", False),
        (Kind.ITEM, "  ", "Two. [A]", False),
        (Kind.ITEM, "  - ", "Three", False),
        (Kind.ITEM, "1. ", "Four", True),
        (Kind.CODE, "", "x", False),
        (Kind.SENTENCE, "", "End.", False),
    ]


def test_a_row_is_read_under_the_heads_of_its_table() -> None:
    found = split("| team | since |\n|---|---|\n| Y | 2024 [A] |\n")
    assert found == [Saying(Kind.ROW, "team: Y; since: 2024 [A]", "- ")]


def test_what_a_reference_would_link_to_is_left_out() -> None:
    assert texts("[x]: https://evil.example\nIt waits.") == ["It waits."]


def test_a_line_without_end_is_cut_wherever_it_is_cut_on_its_way() -> None:
    text = "word " * 3_000
    assert len(split(text)) > 1
    assert split(text) == split(*(text[at : at + 7] for at in range(0, len(text), 7)))
