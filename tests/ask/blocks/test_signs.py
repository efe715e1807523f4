"""What tells that a passage answers: each measure beside the other passages."""

from __future__ import annotations

from sextant.ask.blocks.signs import PassageSigns, passage_signs
from sextant.ask.evidence.asked import asked
from sextant.ask.evidence.read import Reader
from sextant.types import Passage
from tests.ask.evidence.pieces import NOW, WORDS, hits, part, passage

TEXT = "How do I restart the billing worker?"


def signs(*pages: Passage, claimed: tuple[str, ...] = ()) -> list[PassageSigns]:
    own = hits(*pages)
    wanted = asked(part(TEXT), Reader(WORDS).read(own, TEXT), WORDS, NOW.date())
    return passage_signs(wanted, own, [], claimed, WORDS)


def test_words_of_the_question_count_in_the_text_and_over_it() -> None:
    body, head, none = signs(
        passage("body", "To restart the billing worker, call it.", "Page"),
        passage("head", "Call it.", "Page", headings=("Restart the billing worker",)),
        passage("none", "Nothing of this.", "Page"),
    )
    assert (body.covered, body.headed) == (1.0, 0.0)
    assert (head.covered, head.headed) == (1.0, 1.0)
    assert (none.covered, none.headed) == (0.0, 0.0)


def test_the_best_hit_stands_highest() -> None:
    first, second = signs(passage("one", "One."), passage("two", "Two."))
    assert first.standing == 1.0
    assert 0.0 < second.standing < 1.0


def test_code_and_a_chosen_sentence_are_signs() -> None:
    code, prose = signs(
        passage("code", "Run:\n\n```sh\nrestart\n```"),
        passage("prose", "It runs."),
        claimed=("prose#c0",),
    )
    assert (code.code, prose.code) == (1.0, 0.0)
    assert (code.claimed, prose.claimed) == (0.0, 1.0)


def test_no_hits_have_no_signs() -> None:
    assert signs() == []
