"""Text of documents as Markdown: it is shown, and does nothing."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sextant.text.markdown import inert, readable

PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
HARMLESS = {"text", "code_inline", "softbreak"}
HOSTILE = [
    "[click](https://evil.example/?q=1)",
    "![x](https://evil.example/p.png)",
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "<https://evil.example>",
    "https://evil.example/path",
    "www.evil.example",
    "mail me@evil.example now",
    "[ref][id]",
    "[id]: https://evil.example",
    "`code` and ``more ` code``",
    "# heading",
    "> quote",
    "- item",
    "1. item",
    "1) item",
    "***",
    "---",
    "| a | b |",
    "a | b\n--- | ---",
    "~~~\nfence\n~~~",
    "```\nfence",
    "    indented",
    "*em* **strong** _em_ __strong__",
    "&lt;b&gt; &#60;b&#62;",
    "\\[escaped](https://evil.example)",
    "\u202egnp.exe",
    "![a](`x` https://evil.example)",
    "[a]`](https://evil.example)",
    "`<a href='`'>x</a>",
    "https://evil.example/path```` `<a href='`'>x</a>````",
    "`code`https://evil.example` <b>x</b> `",
]


def live(markdown: str) -> set[str]:
    """Return what a parser makes of Markdown beside plain text."""
    tokens = PARSER.parse(f"{markdown} [Label]")
    inline = [child.type for token in tokens for child in token.children or ()]
    blocks = [token.type for token in tokens if token.type not in ("paragraph_open", "inline")]
    return {*inline, *blocks} - HARMLESS - {"paragraph_close"}


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_becomes_nothing_but_text(text: str) -> None:
    assert live(inert(text)) == set()
    assert live(inert(readable(text))) == set()


@given(st.lists(st.sampled_from(HOSTILE) | st.text(max_size=8), max_size=6).map("".join))
def test_text_out_of_hostile_pieces_stays_inert(text: str) -> None:
    assert live(inert(readable(text))) == set()
    assert live(inert(readable(text, "markdown"))) == set()


@given(st.lists(st.sampled_from(list('[]()<>`*_!\\&#|~{}%;"= a1.:/@-')), max_size=40).map("".join))
def test_signs_in_any_order_stay_inert(text: str) -> None:
    assert live(inert(readable(text))) == set()
    assert live(inert(readable(text, "markdown"))) == set()


@given(st.lists(st.sampled_from(HOSTILE), max_size=4).map(" ".join))
def test_addresses_stand_in_code_where_nothing_makes_links_of_them(text: str) -> None:
    outside = re.sub(r"\\.|(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", inert(readable(text)))
    assert "://" not in outside
    assert "www." not in outside
    assert not re.search(r"\w@\w+\.\w", outside)


def test_a_link_is_read_by_its_words_and_an_image_by_what_it_shows() -> None:
    assert readable("See [RB-101](../rb.md) and ![a plan](x.png).") == "See RB-101 and a plan."


def test_marks_of_emphasis_and_tags_are_left_out() -> None:
    assert readable("It is **never** <b>safe</b>, *really*.") == "It is never safe, really."


def test_names_with_underscores_stay_as_they_are() -> None:
    assert readable("Set max_failed_runs to 3.") == "Set max_failed_runs to 3."
    assert inert("Set max_failed_runs to 3.") == "Set max_failed_runs to 3."


def test_code_stays_code() -> None:
    assert inert("Run `gatectl cert show` first.") == "Run `gatectl cert show` first."


def test_signs_that_turn_text_around_are_left_out() -> None:
    assert readable("safe\u202etxt.exe") == "safetxt.exe"


def test_signs_that_hide_a_text_are_left_out() -> None:
    assert readable("a\u200bb\U000e0041\U000e0100c\ufeff") == "abc"
