"""Scores of passages: where they lie, and what moves them."""

from hypothesis import given
from hypothesis import strategies as st

from sextant.retrieval.likeness import likeness, pulls, relevancy

shares = st.floats(0.0, 1.0)


@given(shares, shares, shares)
def test_what_is_more_alike_or_reached_by_more_is_more_relevant(
    alike: float, reached: float, more: float
) -> None:
    value = relevancy(alike, reached)
    assert 0.0 <= value <= 1.0
    assert relevancy(min(1.0, alike + more), reached) >= value
    assert relevancy(alike, reached + more) >= value


@given(st.floats(-1.0, 1.0), st.floats(0.0, 50.0), st.floats(0.0, 50.0))
def test_likeness_takes_words_as_a_share_of_the_best(
    vector: float, keyword: float, best: float
) -> None:
    alike = likeness(min(keyword, best), best, vector)
    assert -1.0 <= alike <= 1.0
    assert likeness(None, best, None) == 0.0


def test_without_a_vector_words_are_all() -> None:
    assert likeness(2.0, 4.0, None) == 0.5


@given(st.dictionaries(st.text(max_size=3), st.floats(-1.0, 1.0), max_size=30))
def test_what_is_most_like_the_question_draws_most(likenesses: dict[str, float]) -> None:
    drawn = pulls(likenesses)
    assert all(value >= 1.0 for value in drawn.values())
    for name, value in drawn.items():
        assert all(value >= drawn[one] for one in drawn if likenesses[one] < likenesses[name])
