"""The few hits that an answer is written from: unlike each other, and about every part."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.rerank import rerank
from tests.ask.evidence.pieces import WORDS, goal, hit, hits, passage

LEDGER = "Refunds above 2,000 EUR need two approvers of the refund desk."


def test_never_more_than_eight_are_kept() -> None:
    many = [passage(f"d{at}", f"Page {at} speaks of refunds and word{at}.") for at in range(30)]
    assert len(rerank(hits(*many), [goal("Who approves refunds?")], WORDS).hits) == 8


def test_what_says_the_same_is_kept_once() -> None:
    pages = [passage("one", LEDGER), passage("two", LEDGER + " Always."), passage("three", "No.")]
    found = rerank(hits(*pages), [goal("Who approves refunds?")], WORDS)
    assert [one.passage.document.id for one in found.hits] == ["one", "three"]
    assert found.duplicates == 1


def test_a_number_that_differs_makes_two_of_them() -> None:
    pages = [passage("one", LEDGER), passage("two", LEDGER.replace("2,000", "3,000"))]
    assert len(rerank(hits(*pages), [goal("Who approves refunds?")], WORDS).hits) == 2


def test_each_part_of_the_question_gets_its_best_passage() -> None:
    refunds = [passage(f"r{at}", f"Refunds wait for approval number {at}.") for at in range(12)]
    owner = passage("owner", "Team Keel owns the harbour queue.")
    ranked = [*hits(*refunds), hit(owner, 0.4)]
    goals = [
        goal("Who approves refunds and who owns the harbour queue?"),
        goal("Who approves refunds?"),
        goal("Who owns the harbour queue?"),
    ]
    kept = [one.passage.document.id for one in rerank(ranked, goals, WORDS).hits]
    assert "owner" in kept


def test_a_passage_with_a_piece_that_is_likely_meant_is_kept_however_low_it_ranks() -> None:
    many = [passage(f"d{at}", f"Page {at} speaks of refunds and word{at}.") for at in range(30)]
    meant = passage("meant", "Money goes back to whoever paid within five days.")
    ranked = [*hits(*many), hit(meant, 0.2)]
    asked = [goal("When do I get my refunds?")]
    assert meant not in [one.passage for one in rerank(ranked, asked, WORDS).hits]
    kept = rerank(ranked, asked, WORDS, likely={meant.chunk.id: 1.0}).hits
    assert [one.passage for one in kept][-1] == meant


def test_each_hit_says_why_it_was_kept() -> None:
    pages = [passage("one", LEDGER), passage("two", "Nothing of the kind.")]
    found = rerank(hits(*pages), [goal("Who approves large refunds?")], WORDS).hits
    assert found[0].why == "Speaks of approves, refunds (56% of the question)."
    assert found[1].why == "Near to the question in meaning or in the graph."


def test_words_that_nothing_speaks_of_become_questions() -> None:
    found = rerank(hits(passage("one", LEDGER)), [goal("What was the revenue of refunds?")], WORDS)
    assert found.missing == ("Is there another word for “revenue”, or a page that speaks of it?",)


def test_nothing_found_asks_for_everything_that_was_asked() -> None:
    asked = "Which alpha of Beta Works has the gamma, a delta and an omega?"
    found = rerank([], [goal(asked)], WORDS)
    assert found.hits == ()
    assert len(found.missing) == 3
    assert found.missing[0] == "What is “Beta Works”, and where is it described?"


def test_common_words_and_what_is_done_are_not_asked_about() -> None:
    asked = "According to whom do we usually stick to it, and who intends to promote it?"
    assert rerank(hits(passage("one", LEDGER)), [goal(asked)], WORDS).missing == ()


TEXTS = st.lists(
    st.sampled_from(["refund", "desk", "team", "page", "15", "20", "queue"]), max_size=8
)


@given(st.lists(st.tuples(TEXTS, st.floats(0.0, 1.0)), max_size=20), st.lists(TEXTS, max_size=3))
def test_what_is_kept_was_ranked_and_keeps_its_order(
    pages: list[tuple[list[str], float]], questions: list[list[str]]
) -> None:
    ranked = [hit(passage(f"d{at}", " ".join(one)), total) for at, (one, total) in enumerate(pages)]
    goals = [goal(" ".join(one)) for one in questions]
    found = rerank(ranked, goals, WORDS)
    assert found == rerank(ranked, goals, WORDS)
    kept = [replace(one, why="") for one in found.hits]
    assert kept == [one for one in ranked if one in kept]
    assert len(found.hits) <= 8
    assert len(found.missing) <= 3


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_reranked(text: str, asked: str) -> None:
    assert len(rerank(hits(passage("d", text)), [goal(asked)], WORDS).hits) == 1
