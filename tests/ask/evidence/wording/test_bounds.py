"""Conditions in a text, and whether what is asked about falls under them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.evidence.wording.bounds import holds, quantities


@pytest.mark.parametrize(
    ("text", "asked", "expected"),
    [
        ("Refunds above 2,000 EUR need two approvers.", "a refund of 2,500 EUR", 1),
        ("Refunds up to 200 EUR are sent at once.", "a refund of 2,500 EUR", -1),
        ("Above 200 EUR and up to 2,000 EUR one is needed.", "a refund of 2,500 EUR", -1),
        ("Above 200 EUR and up to 2,000 EUR one is needed.", "a refund of 250 EUR", 1),
        ("A score of 82 points or more is declined.", "a score of 90 points", 1),
        ("A score of 82 points or more is declined.", "a score of 80 points", -1),
        ("It becomes SEV-1 after 4 hours.", "standing still for 300 minutes", 1),
        ("The desk is called after 45 minutes.", "down for 20 minutes", -1),
        ("Below 10 EUR it is carried over.", "a balance of 10 EUR", -1),
        ("Above 200 EUR one is needed.", "a parcel of 300 kg", 0),
        ("Somebody must approve it.", "a refund of 2,500 EUR", 0),
    ],
)
def test_a_condition_is_met_or_not_or_of_another_matter(
    text: str, asked: str, expected: float
) -> None:
    assert holds(text, quantities(asked)) == expected


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_compared(text: str, asked: str) -> None:
    assert holds(text, quantities(asked)) in (-1.0, 0.0, 1.0)
