"""Days from which and until which something holds."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.evidence.wording.force import begins, falls, in_force, replaced
from sextant.ask.reading.dates import periods_in

TODAY = date(2026, 10, 31)


@pytest.mark.parametrize(
    ("text", "before", "expected"),
    [
        ("From 1 December 2026 the limit is 200.", "", False),
        ("From 14 September 2026 the limit is 30.", "", True),
        ("Until then the limit is 50.", "From 14 September 2026 it is 30.", False),
        ("Until that day the limit of 120 stays.", "From 1 December 2026 it is 200.", True),
        ("The old pager stays on until 31 July 2024.", "", False),
        ("The limit is 50.", "", True),
    ],
)
def test_what_is_to_come_and_what_is_over_is_not_in_force(
    text: str, before: str, expected: bool
) -> None:
    assert in_force(text, before, TODAY) is expected


def test_a_text_says_when_it_begins_to_hold() -> None:
    assert begins("As of 1 April 2026 the desk is called earlier.") == date(2026, 4, 1)
    assert begins("On 28 November 2025 it was down.") == date(2025, 11, 28)
    assert begins("The desk is called early.") is None


def test_a_row_falls_on_the_day_that_is_asked_for_however_it_is_written() -> None:
    asked = periods_in("in the week that begins on 12 October 2026", TODAY)
    assert falls("week start: 2026-10-12; team: Team Y.", asked) == 1
    assert falls("week start: 2026-10-19; team: Team Y.", asked) == -1
    assert falls("One engineer is on call.", asked) == 0


def test_the_start_of_a_week_stands_for_all_its_days() -> None:
    asked = periods_in("on 28 October 2026", TODAY)
    assert falls("week start: 2026-10-26; team: Team Y.", asked) == 1
    assert falls("day: 2026-10-26; team: Team Y.", asked) == -1


def test_what_a_text_calls_past_is_what_comes_behind_instead_of() -> None:
    assert replaced("It keeps them for 72 hours instead of 48 hours.").strip() == "48 hours."
    assert replaced("It keeps them for 72 hours.") == ""


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_holds_or_does_not(text: str, before: str) -> None:
    assert in_force(text, before, TODAY) in (True, False)
    assert falls(text, periods_in(before, TODAY)) in (-1.0, 0.0, 1.0)
