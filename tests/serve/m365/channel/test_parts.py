"""Long answers are cut between blocks, and code stays code."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from sextant.serve.m365.channel.parts import cut_parts

LIMIT = 60
FENCE = "```py\na = 1\n\nb = 2\n```"

_words = st.text(alphabet="abc ", min_size=1, max_size=40).filter(str.strip)
_code = st.lists(st.sampled_from(["x = 1", "", "y"]), max_size=4).map(
    lambda lines: "\n".join(["```", *lines, "```"])
)
_texts = st.lists(st.one_of(_words.map(str.strip), _code), min_size=1, max_size=12).map("\n\n".join)


def test_a_short_text_is_one_part() -> None:
    assert cut_parts("one\n\ntwo", LIMIT) == ["one\n\ntwo"]


def test_a_fence_with_blank_lines_in_it_stays_whole() -> None:
    text = "\n\n".join(["A sentence that takes some room.", FENCE, "Another sentence, and more."])
    parts = cut_parts(text, LIMIT)
    assert len(parts) == 2
    assert FENCE in parts[0]


def test_code_that_no_message_can_hold_is_shortened_and_closed() -> None:
    long = "\n".join(["~~~sh", *["echo one line"] * 20, "~~~"])
    [part] = cut_parts(long, LIMIT)
    assert len(part) <= LIMIT
    assert part.startswith("~~~sh\necho one line")
    assert part.endswith("…\n~~~")


def test_a_paragraph_that_no_message_can_hold_is_cut_behind_a_word() -> None:
    parts = cut_parts(" ".join(["word"] * 40), LIMIT)
    assert all(part == "word " * (len(part) // 5) + "word" for part in parts)
    assert len("".join(cut_parts("w" * 200, LIMIT))) == 200


@given(_texts)
def test_every_part_fits_and_has_whole_fences_and_no_word_is_lost(text: str) -> None:
    parts = cut_parts(text, LIMIT)
    assert all(0 < len(part) <= LIMIT for part in parts)
    assert all(part.count("```") % 2 == 0 for part in parts)
    assert re.findall(r"\S+", " ".join(parts)) == re.findall(r"\S+", text)
