"""Which passages an answer is made of: likelihoods that add up, and never more than are needed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.blocks.choose import MOST, Likely, enough, fitted, likely
from sextant.ask.blocks.signs import NAMES, PassageSigns
from sextant.types import Hit
from tests.ask.evidence.pieces import hits, passage

SIGNS = st.builds(PassageSigns, *[st.floats(-1, 1)] * len(NAMES))
NOTHING = PassageSigns(*[0.0] * len(NAMES))


def found(*texts: str) -> list[Hit]:
    return hits(*(passage(f"p{at}", text) for at, text in enumerate(texts)))


def shared(own: list[Hit], *shares: float) -> list[Likely]:
    return [Likely(hit, share, 0.5) for hit, share in zip(own, shares, strict=False)]


@given(st.lists(SIGNS, max_size=12))
def test_likelihoods_fall_and_are_one_together(signs: list[PassageSigns]) -> None:
    own = found(*(f"Page {at}." for at in range(len(signs))))
    told = likely(own, signs, [1.0] * len(own))
    shares = [one.likelihood for one in told]
    assert sum(shares) == pytest.approx(1.0 if signs else 0.0)
    assert [round(one, 6) for one in shares] == sorted(round(one, 6) for one in shares)[::-1]
    assert {id(one.hit) for one in told} == {id(one) for one in own}
    for one in told:
        assert one.covered == signs[own.index(one.hit)].covered


def test_of_passages_with_the_same_signs_the_first_that_was_found_is_first() -> None:
    own = found("One.", "Two.", "Three.")
    assert [one.hit for one in likely(own, [NOTHING] * 3, [1.0] * 3)] == own


def test_of_passages_with_the_same_signs_the_one_of_the_better_source_is_first() -> None:
    own = found("One.", "Two.", "Three.")
    told = likely(own, [NOTHING] * 3, [0.2, 1.0, 0.6])
    assert [one.hit for one in told] == [own[1], own[2], own[0]]


def test_where_nobody_is_believed_nothing_is_likely() -> None:
    own = found("One.", "Two.")
    assert [one.likelihood for one in likely(own, [NOTHING] * 2, [0.0, 0.0])] == [0.0, 0.0]


def test_every_sign_has_a_weight() -> None:
    assert len(fitted()) == len(NAMES)


def test_a_sure_passage_is_told_alone() -> None:
    own = found("One.", "Two.", "Three.")
    assert enough(shared(own, 0.95, 0.03, 0.02)) == own[:1]


def test_passages_are_added_until_it_is_sure() -> None:
    own = found("One.", "Two.", "Three.", "Four.")
    assert enough(shared(own, 0.6, 0.35, 0.03, 0.02)) == own[:2]
    assert enough(shared(own, 0.25, 0.25, 0.25, 0.25)) == own[:MOST]


def test_every_part_has_its_best_passage_first() -> None:
    own = found("One.", "Two.", "Three.", "Four.")
    parts = [shared([own[3]], 1.0), shared([own[2]], 1.0)]
    assert enough(shared(own, 0.9, 0.1), parts) == [own[3], own[2]]


def test_parts_take_turns_until_each_is_sure() -> None:
    own = found("One.", "Two.", "Three.", "Four.")
    parts = [shared(own[:2], 0.5, 0.5), shared(own[2:], 0.5, 0.5)]
    assert enough(shared(own, 1.0), parts) == [own[0], own[2], own[1]]


def test_what_a_sentence_was_chosen_from_is_added_if_it_is_short() -> None:
    short, long = found("One.", "Two."), found("One.", "Word " * 300)
    assert enough(shared(short, 0.95, 0.05), (), [short[1]]) == short
    assert enough(shared(long, 0.95, 0.05), (), [long[1]]) == long[:1]


@given(st.lists(st.floats(0, 1), max_size=8), st.data())
def test_no_answer_has_more_than_three_passages_or_one_twice(
    shares: list[float], data: st.DataObject
) -> None:
    own = found(*(f"Page {at}." for at in range(len(shares))))
    whole = shared(own, *shares)
    parts = data.draw(st.lists(st.permutations(whole), max_size=4))
    claimed = data.draw(st.permutations(own))
    told = enough(whole, parts, claimed)
    assert len(told) <= MOST
    assert len({hit.passage.chunk.id for hit in told}) == len(told)
    assert bool(told) == bool(own)


def test_nothing_found_is_nothing_told() -> None:
    assert likely([], [], []) == []
    assert enough([]) == []
