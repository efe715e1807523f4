"""Edges in words, and the sentences that say them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.evidence.verbal import said, telling
from tests.ask.evidence.pieces import edge, entities, passage

KNOWN = entities("Service A", "Process X", "Checkout Capture", "Team Y", "Ilse Marrin")


@pytest.mark.parametrize(
    ("kind", "source", "target", "expected"),
    [
        ("depends_on", "Process X", "Service A", "Process X depends on Service A."),
        ("owned_by", "Service A", "Team Y", "Service A is owned by Team Y."),
        ("escalates_to", "Service A", "Team Y", "Service A escalates to Team Y."),
        ("reports_to", "Team Y", "Ilse Marrin", "Team Y is led by Ilse Marrin."),
        ("fails_over_to", "Service A", "Process X", "Service A is backed up by Process X."),
        ("is_friends_with", "Service A", "Team Y", "Service A is friends with Team Y."),
    ],
)
def test_an_edge_reads_like_a_sentence(kind: str, source: str, target: str, expected: str) -> None:
    assert said([edge(source, kind, target)], KNOWN) == expected


def test_edges_with_an_end_in_common_are_one_sentence() -> None:
    edges = [edge(name, "depends_on", "Service A") for name in ("Process X", "Checkout Capture")]
    assert said(edges, KNOWN) == "Process X and Checkout Capture depend on Service A."


def test_an_entity_that_is_not_known_is_called_by_its_id() -> None:
    assert said([edge("Service A", "uses", "queue")], {}) == "service a uses queue."


def test_the_sentence_with_both_names_and_the_verb_says_it() -> None:
    text = "Service A and Team Y met. Team Y owns escalation for Service A. Team Y sleeps."
    found = telling(passage("p", text), edge("Service A", "escalates_to", "Team Y"), KNOWN)
    assert found is not None
    assert found.quote.text == "Team Y owns escalation for Service A."
    assert found.whole


def test_the_subject_of_a_document_need_not_be_named_in_it() -> None:
    text = "It waits for Team Y. It is owned by Team Y."
    page = passage("p", text, "Service A")
    found = telling(page, edge("Service A", "owned_by", "Team Y"), KNOWN)
    assert found is not None
    assert found.quote.text == "It is owned by Team Y."
    assert not found.whole


def test_a_passage_that_names_neither_end_says_nothing() -> None:
    page = passage("p", "# Service A\\n\\nNothing of the kind.")
    assert telling(page, edge("Process X", "owned_by", "Team Y"), KNOWN) is None


@given(st.text(max_size=200), st.text(max_size=20))
def test_any_passage_says_an_edge_or_not(text: str, kind: str) -> None:
    found = telling(passage("p", text, "Service A"), edge("Service A", kind, "Team Y"), KNOWN)
    assert found is None or found.quote.text in text
