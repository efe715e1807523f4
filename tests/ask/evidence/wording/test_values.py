"""Values in a text: what is measured, and what is named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.evidence.wording.values import names_in, values_in


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("duration", "It waits at most 800 milliseconds.", ["800 milliseconds"]),
        ("duration", "CallTimeout = 12 * time.Second", ["12 * time.second"]),
        ("duration", "The page comes at once.", ["at once"]),
        ("date", "It is dissolved on 30 June 2024.", ["30 june 2024"]),
        ("date", "This happened in INC-2026-019.", []),
        ("time", "It runs on Tuesdays at 07:00 UTC.", ["tuesdays", "07:00"]),
        ("amount", "A difference of 10,000 EUR pages somebody.", ["10,000 eur"]),
        ("count", "1,340 refunds were delayed.", ["1,340"]),
        ("count", "They need two approvers.", ["two"]),
        ("anything", "They need two approvers.", []),
    ],
)
def test_values_are_found_by_the_kind_that_is_asked_for(
    kind: str, text: str, expected: list[str]
) -> None:
    assert values_in(text, kind) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Team Y owns escalation for Service A.", ["Team Y", "Service A"]),
        ("The Director of Operations is asked.", ["Director of Operations"]),
        ("From 14 September 2026 Service A waits until Friday.", ["Service A"]),
        ("Follow RB-110 and tell Service A2.", ["Follow RB-110", "Service A2"]),
        ("it is here", []),
    ],
)
def test_names_are_what_is_written_like_one(text: str, expected: list[str]) -> None:
    assert names_in(text) == expected


@given(st.text(max_size=300), st.sampled_from(["duration", "date", "time", "amount", "count", ""]))
def test_any_text_has_values_or_none(text: str, kind: str) -> None:
    assert all(value == value.lower() for value in values_in(text, kind))
    assert all(name in " ".join(text.split()) or name for name in names_in(text))
