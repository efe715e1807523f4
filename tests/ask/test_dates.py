"""Days, months and years as people write them."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.dates import periods_in

TODAY = date(2026, 11, 15)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("the outage of 28 November 2025", date(2025, 11, 28), date(2025, 11, 29)),
        ("on the 3rd of May 2024", date(2024, 5, 3), date(2024, 5, 4)),
        ("March 5th, 2024", date(2024, 3, 5), date(2024, 3, 6)),
        ("on 2026-03-04", date(2026, 3, 4), date(2026, 3, 5)),
        ("on 04.03.2026", date(2026, 3, 4), date(2026, 3, 5)),
        ("week: 2026-W47", date(2026, 11, 16), date(2026, 11, 23)),
        ("in 2026-05", date(2026, 5, 1), date(2026, 6, 1)),
        ("since March 2026", date(2026, 3, 1), date(2026, 4, 1)),
        ("in December 2025", date(2025, 12, 1), date(2026, 1, 1)),
        ("in 2025", date(2025, 1, 1), date(2026, 1, 1)),
        ("Q2 2026", date(2026, 4, 1), date(2026, 7, 1)),
        ("on 12 October", date(2026, 10, 12), date(2026, 10, 13)),
        ("on 24 December", date(2025, 12, 24), date(2025, 12, 25)),
        ("since March", date(2026, 3, 1), date(2026, 4, 1)),
        ("in December", date(2025, 12, 1), date(2026, 1, 1)),
        ("last month", date(2026, 10, 1), date(2026, 11, 1)),
        ("this week", date(2026, 11, 9), date(2026, 11, 16)),
        ("last quarter", date(2026, 7, 1), date(2026, 10, 1)),
        ("last year", date(2025, 1, 1), date(2026, 1, 1)),
        ("in the last 30 days", date(2026, 10, 16), date(2026, 11, 16)),
        ("the past two years", date(2024, 11, 15), date(2026, 11, 16)),
        ("yesterday", date(2026, 11, 14), date(2026, 11, 15)),
        ("tomorrow", date(2026, 11, 16), date(2026, 11, 17)),
        ("the day after tomorrow", date(2026, 11, 17), date(2026, 11, 18)),
        ("the day before yesterday", date(2026, 11, 13), date(2026, 11, 14)),
        ("next week", date(2026, 11, 16), date(2026, 11, 23)),
        ("next month", date(2026, 12, 1), date(2027, 1, 1)),
        ("the coming quarter", date(2027, 1, 1), date(2027, 4, 1)),
        ("next year", date(2027, 1, 1), date(2028, 1, 1)),
        ("next Monday", date(2026, 11, 16), date(2026, 11, 17)),
        ("next Sunday", date(2026, 11, 22), date(2026, 11, 23)),
        ("this Sunday", date(2026, 11, 15), date(2026, 11, 16)),
        ("this Monday", date(2026, 11, 9), date(2026, 11, 10)),
        ("last Sunday", date(2026, 11, 8), date(2026, 11, 9)),
        ("on 25/12/2026", date(2026, 12, 25), date(2026, 12, 26)),
        ("on 12/25/2026", date(2026, 12, 25), date(2026, 12, 26)),
        ("on 11/11/2026", date(2026, 11, 11), date(2026, 11, 12)),
    ],
)
def test_a_date_is_read_as_the_days_that_it_covers(text: str, start: date, end: date) -> None:
    (period,) = periods_in(text, TODAY)

    assert (period.start, period.end) == (start, end)
    assert text[period.first : period.last] == period.text


@pytest.mark.parametrize(
    "text",
    [
        "INC-2025-031",
        "version 1.2.2026.4",
        "2026-W60",
        "31 February 2025",
        "May I ask?",
        "the March release",
        "room 12",
        "05:10 UTC",
        "11/09/2026",
        "31/31/2026",
        "25/12/2026/readme",
        "this Monday.com board",
        "carried over to the next week",
        "the week after next week",
    ],
)
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert periods_in(text, TODAY) == ()


def test_one_date_tells_the_order_of_all_in_a_text() -> None:
    first, last = periods_in("from: 12/10/2026; to: 18/10/2026")
    assert (first.start, last.start) == (date(2026, 10, 12), date(2026, 10, 18))
    first, last = periods_in("from 10/12/2026 to 10/18/2026")
    assert (first.start, last.start) == (date(2026, 10, 12), date(2026, 10, 18))
    assert periods_in("02/11/2026 to 08/11/2026") == ()
    assert periods_in("12/25/2026 or 25/12/2026 or 11/09/2026") == ()


def test_without_today_only_whole_dates_are_known() -> None:
    assert periods_in("last month, since March, on 3 May, yesterday") == ()
    assert len(periods_in("in 2025 and on 3 May 2024")) == 2


@given(st.text(max_size=300), st.dates())
def test_any_text_on_any_day_has_periods_of_at_least_a_day(text: str, today: date) -> None:
    assert all(period.start < period.end for period in periods_in(text, today))


@given(
    st.sampled_from(["last", "this", "past", "next", "last 999", "past 12"]),
    st.sampled_from(["week", "monday", "month", "quarter", "year", "days", "years", "months"]),
    st.dates(),
)
def test_no_day_is_too_early_or_too_late(which: str, unit: str, today: date) -> None:
    assert len(periods_in(f"{which} {unit}", today)) <= 1
