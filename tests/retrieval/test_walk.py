"""Walks over mentions: where mass goes, and that none is made."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.retrieval.tuning import SHIPPED
from sextant.retrieval.walk import walk
from sextant.types import Web


def web(pairs: list[tuple[int, int, bool]], chunks: int, entities: int) -> Web:
    """Return a web whose counts are those of its own pairs."""
    chunk, entity, about = (np.array([one[at] for one in pairs], np.int64) for at in range(3))
    return Web(
        tuple(f"c{at}" for at in range(chunks)),
        {f"e{at}": at for at in range(entities)},
        chunk,
        entity,
        about.astype(bool),
        np.bincount(entity, minlength=entities),
        np.bincount(entity, about, entities).astype(np.int64),
    )


def test_most_of_an_entity_goes_to_what_is_about_it() -> None:
    told = web([(0, 0, True), (1, 0, False), (2, 0, False)], 3, 1)
    about, one, other = walk(told, {"e0": 1.0}, {}).tolist()
    assert about > 4 * one
    assert one == other > 0


def test_who_is_mentioned_leads_on_to_what_is_about_them() -> None:
    told = web([(0, 0, True), (0, 1, False), (1, 1, True), (2, 2, True)], 3, 3)
    start, bridge, nowhere = walk(told, {"e0": 1.0}, {}).tolist()
    assert start > bridge > 0
    assert nowhere == 0


def test_a_walk_starts_at_passages_as_well() -> None:
    told = web([(0, 0, False), (1, 0, True)], 2, 1)
    start, about = walk(told, {}, {"c0": 0.5, "elsewhere": 0.5}).tolist()
    assert start >= 0.5
    assert 0 < about < start


def test_of_several_passages_about_somebody_the_likest_draws_most() -> None:
    told = web([(0, 0, True), (1, 0, True), (2, 0, False)], 3, 1)
    one, other, mention = walk(told, {"e0": 1.0}, {}, {"c1": 9.0, "c2": 9.0}).tolist()
    assert other > 5 * one
    assert mention == pytest.approx(walk(told, {"e0": 1.0}, {})[2])


def test_what_leads_out_of_the_web_is_lost() -> None:
    near = web([(0, 0, False)], 1, 1)
    far = Web(
        near.chunk_ids,
        near.entities,
        near.chunk,
        near.entity,
        near.about,
        np.array([100]),
        np.array([0]),
    )
    assert walk(far, {"e0": 1.0}, {})[0] < walk(near, {"e0": 1.0}, {})[0] / 50


def test_nothing_gives_nothing() -> None:
    assert walk(web([], 0, 0), {"e0": 1.0}, {"c0": 1.0}).tolist() == []
    assert walk(web([], 2, 0), {}, {}).tolist() == [0.0, 0.0]


pairs = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 4), st.booleans()),
    unique_by=lambda pair: pair[:2],
    max_size=20,
)


@given(pairs, st.integers(0, 4), st.integers(0, 5))
def test_mass_is_never_less_than_nothing_nor_more_than_its_rounds(
    told: list[tuple[int, int, bool]], entity: int, chunk: int
) -> None:
    held = walk(web(told, 6, 5), {f"e{entity}": 0.5}, {f"c{chunk}": 0.5})
    assert (held >= 0).all()
    assert held.sum() <= sum(0.5**one for one in range(SHIPPED.rounds + 1)) + 1e-9
