"""The few passages that a model reads: unlike each other, and about every part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.pick import Picked, pick_passages
from sextant.ask.piece_odds import PieceOdds
from sextant.ask.score import Readings
from sextant.types import Hit
from tests.ask.found import WORDS, hit, hits, odds, passage, scored

LEDGER = "Refunds above 2,000 EUR need two approvers of the refund desk."


def pick(found: Sequence[Hit], *parts: str, known: PieceOdds | None = None) -> Picked:
    readings = Readings(WORDS)
    return pick_passages(parts, scored(parts, found, known, readings), readings)


def names(picked: Picked) -> list[str]:
    return [one.passage.document.id for one in picked.hits]


def test_never_more_than_eight_are_kept() -> None:
    many = [passage(f"d{at}", f"Page {at} speaks of refunds and word{at}.") for at in range(30)]
    assert len(pick(hits(*many), "Who approves refunds?").hits) == 8


def test_what_says_the_same_is_kept_once() -> None:
    pages = [passage("one", LEDGER), passage("two", LEDGER + " Always."), passage("three", "No.")]
    found = pick(hits(*pages), "Who approves refunds?")
    assert len(found.hits) == 2
    assert "three" in names(found)
    assert found.duplicates == 1


def test_a_number_or_a_denial_that_differs_makes_two_of_them() -> None:
    for other in (LEDGER.replace("2,000", "3,000"), LEDGER.replace("need", "do not need")):
        found = hits(passage("one", LEDGER), passage("two", other))
        assert len(pick(found, "Who approves refunds?").hits) == 2


def test_each_part_of_the_question_gets_its_best_passage() -> None:
    refunds = [passage(f"r{at}", f"Refunds wait for approval number {at}.") for at in range(12)]
    found = [*hits(*refunds), hit(passage("owner", "Team Keel owns the harbour queue."), 0.4)]
    parts = "Who approves refunds?", "Who owns the harbour queue?"
    assert "owner" in names(pick(found, " And ".join(parts), *parts))


def test_a_passage_with_a_piece_that_is_likely_meant_is_kept_however_low_it_ranks() -> None:
    many = [passage(f"d{at}", f"Page {at} speaks of refunds and word{at}.") for at in range(30)]
    meant = passage("meant", "Money goes back to whoever paid within five days.")
    found = [*hits(*many), hit(meant, 0.2)]
    asked = "When do I get my refunds?"
    assert "meant" not in names(pick(found, asked))
    known = {place: -9.0 for one in many for place in odds(one, 0.0)} | dict(odds(meant, 10.0))
    assert "meant" in names(pick(found, asked, known=known))


def test_each_hit_says_why_it_was_kept() -> None:
    pages = [passage("one", LEDGER), passage("two", "Nothing of the kind.")]
    found = pick(hits(*pages), "Who approves large refunds?").hits
    assert found[0].why == "Speaks of approves, refunds (44% of the question)."
    assert found[1].why == "Near to the question in meaning or in the graph."


def test_words_that_nothing_speaks_of_become_questions() -> None:
    found = pick(hits(passage("one", LEDGER)), "What was the revenue of refunds?")
    assert found.missing == ("Is there another word for “revenue”, or a page that speaks of it?",)


def test_nothing_found_asks_for_names_first() -> None:
    found = pick([], "Which alpha of Beta Works has the gamma, a delta and an omega?")
    assert found.hits == ()
    assert len(found.missing) == 3
    assert found.missing[0] == "What is “Beta Works”, and where is it described?"


def test_what_is_done_is_not_asked_about() -> None:
    asked = "Who intends to promote refunds?"
    assert pick(hits(passage("one", LEDGER)), asked).missing == ()


TEXTS = st.lists(
    st.sampled_from(["refund", "desk", "team", "page", "15", "20", "queue"]), max_size=8
)


@given(
    st.lists(st.tuples(TEXTS, st.floats(0.0, 1.0)), max_size=20),
    st.lists(TEXTS, min_size=1, max_size=3),
)
def test_what_is_kept_was_found_and_is_the_same_each_time(
    pages: list[tuple[list[str], float]], questions: list[list[str]]
) -> None:
    found = [hit(passage(f"d{at}", " ".join(one)), total) for at, (one, total) in enumerate(pages)]
    parts = [" ".join(one) for one in questions]
    picked = pick(found, *parts)
    assert picked == pick(found, *parts)
    assert all(replace(one, why="") in found for one in picked.hits)
    assert bool(picked.hits) == bool(found)
    assert len(picked.hits) <= 8
    assert len(picked.missing) <= 3


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_picked_from(text: str, asked: str) -> None:
    assert len(pick(hits(passage("d", text)), asked).hits) == 1
