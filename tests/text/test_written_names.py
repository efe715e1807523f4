"""What looks like a name, and what does not."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.text.written_names import names_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("If Service A fails, who owns Process X?", ["Service A", "Process X"]),
        (
            "Does Service A's owner call Team Y and Team Yarrow?",
            ["Service A", "Team Y", "Team Yarrow"],
        ),
        ("How does service A work", ["service A"]),
        ("INC-2025-031 or RB-130", ["INC-2025-031", "RB-130"]),
        ("what reads retry_policy.go or fetchOrders", ["retry_policy.go", "fetchOrders"]),
        ('who wrote "the grand model"?', ["the grand model"]),
        ("Who is the Director of Operations of Team Y?", ["Director of Operations", "Team Y"]),
        ("Is Elmer W. Conti older than R. D. Call?", ["Elmer W. Conti", "R. D. Call"]),
        ("It waits for Service A. Process X does not.", ["Service A", "Process X"]),
        ("What runs on Tuesday at 05:00 UTC in May?", []),
        ("WHO OWNS SERVICE A2?", ["A2"]),
        ("who owns it?", []),
    ],
)
def test_names_are_found_by_their_shape(text: str, names: list[str]) -> None:
    assert [name.text for name in names_in(text)] == names


def test_a_capital_at_the_start_of_a_sentence_may_be_no_name() -> None:
    (name,) = names_in("Refunds have been standing still.")

    assert not name.sure


@given(st.one_of(st.text(max_size=300), st.text("AaBb1. '\"-_of", max_size=80)))
def test_names_stand_in_the_text_in_order_and_apart(text: str) -> None:
    names = names_in(text)

    assert all(name.text and name.text in text for name in names)
    assert all(one.end <= other.start for one, other in pairwise(names))
