"""Edges in words, and back: a text that says more than its relations is not theirs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.phrases import ENGLISH, Phrases, every_language
from sextant.ask.relation_sentences import (
    chain_sentence,
    closure_sentence,
    count_sentence,
    is_said_by,
    no_sentence,
    relation_sentence,
    with_more,
    yes_sentence,
)
from sextant.types import Entity, Relation

NAMES = ("Tern", "Tern Two", "Post Box", "Night Billing", "Team Anchor")
KNOWN = {one: Entity(one, one) for one in NAMES}


def edges(*rows: str) -> list[Relation]:
    """Return relations that are written ``Tern > depends_on > Post Box``."""
    ends = (row.split(" > ") for row in rows)
    return [Relation(source, target, kind) for source, kind, target in ends]


NEEDS = edges(
    "Tern Two > depends_on > Tern",
    "Post Box > depends_on > Tern",
    "Night Billing > depends_on > Tern Two",
)
CHAIN = edges("Night Billing > depends_on > Tern Two", "Tern Two > depends_on > Tern")


def test_edges_with_an_end_in_common_are_one_sentence() -> None:
    assert relation_sentence(NEEDS[:2], KNOWN) == "Tern Two and Post Box depend on Tern."


def test_a_closure_names_its_own_edges_first() -> None:
    expected = "Tern Two and Post Box depend on Tern; through Tern Two also Night Billing."
    assert closure_sentence(NEEDS, KNOWN, "Tern") == expected


def test_a_chain_goes_on_in_one_sentence() -> None:
    said = yes_sentence(CHAIN, KNOWN, ENGLISH)
    assert said == "Yes: Night Billing depends on Tern Two, which depends on Tern."


@pytest.mark.parametrize("phrases", every_language())
def test_every_form_in_every_language_is_found_again(phrases: Phrases) -> None:
    assert is_said_by(with_more(closure_sentence(NEEDS, KNOWN, "Tern"), phrases), NEEDS, KNOWN)
    assert is_said_by(yes_sentence(CHAIN, KNOWN, phrases), CHAIN, KNOWN)
    root = "Night Billing"
    assert is_said_by(no_sentence(CHAIN, KNOWN, root, phrases), CHAIN, KNOWN)


def test_how_many_there_are_is_counted_again() -> None:
    assert is_said_by(count_sentence(NEEDS[:2], KNOWN), NEEDS[:2], KNOWN)
    assert not is_said_by("3: Tern Two and Post Box depend on Tern.", NEEDS[:2], KNOWN)


@pytest.mark.parametrize(
    "text",
    [
        "Tern depends on Tern Two and Post Box.",
        "Tern Two, Post Box and Team Anchor depend on Tern.",
        "Yes: Tern Two and Post Box depend on Tern.",
        "",
    ],
)
def test_a_sentence_that_says_something_else_is_not_theirs(text: str) -> None:
    assert not is_said_by(text, NEEDS[:2], KNOWN)


def test_no_relations_say_nothing() -> None:
    assert not is_said_by("Tern depends on Tern.", [], KNOWN)


ANY = st.builds(
    Relation,
    st.sampled_from(NAMES),
    st.sampled_from(NAMES),
    st.sampled_from(["depends_on", "owned_by", "led_by", "is_friends_with"]),
)


@given(st.lists(ANY, min_size=1, max_size=6))
def test_whatever_relations_say_is_found_again(relations: list[Relation]) -> None:
    assert is_said_by(relation_sentence(relations, KNOWN), relations, KNOWN)


@given(st.lists(ANY, min_size=1, max_size=1))
def test_one_relation_reads_the_same_as_a_chain(relations: list[Relation]) -> None:
    assert chain_sentence(relations, KNOWN) == relation_sentence(relations, KNOWN)
