"""The days that a row or a sentence is about: a day, a week by its first day, from one to another.

Knows how days are written beside each other, and no question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta

from sextant.ask.dates import Period, periods_in

_WEEK = re.compile(r"\bweek\b[^.;|]*$", re.IGNORECASE)
_FIRST_DAY = re.compile(r"\b(?:from|since|start\w*|begin\w*|first)\b[^.;|]*$", re.IGNORECASE)
_LAST_DAY = re.compile(
    r"\b(?:to|until|till|through|end\w*|last)\b[^.;|]*$|^ ?(?:-|\u2013|\u2014) ?$", re.IGNORECASE
)
_BEFORE = 24
"""Characters before a date in which it may be said to be the first day of a week or a span."""

_LONGEST = timedelta(days=300)
"""What is longer is a year, which says nothing of a day."""


def is_about(text: str, asked: Sequence[Period]) -> bool:
    """Whether a text names a day of these periods."""
    if not asked or not any(map(str.isdigit, text)):
        return False
    return any(start < one.end and one.start < end for start, end in _days(text) for one in asked)


def _days(text: str) -> list[tuple[date, date]]:
    """Return the days that a text is about; from one to another are all between them."""
    periods = [one for one in periods_in(text) if one.end - one.start <= _LONGEST]
    found = [_whole(one, text) for one in periods]
    for at in range(len(periods) - 1, 0, -1):
        if _is_range(periods[at - 1], periods[at], text):
            found[at - 1 : at + 1] = [(periods[at - 1].start, periods[at].end)]
    return found


def _is_range(first: Period, last: Period, text: str) -> bool:
    between = text[first.last : last.first]
    if first.start > last.start or not _LAST_DAY.search(between):
        return False
    return ";" not in between or bool(_FIRST_DAY.search(_lead(first, text)))


def _whole(period: Period, text: str) -> tuple[date, date]:
    """Return the days that a period stands for: ``week start: 2026-10-26`` is seven."""
    if _WEEK.search(_lead(period, text)):
        return period.start, period.start + timedelta(days=7)
    return period.start, period.end


def _lead(period: Period, text: str) -> str:
    return text[max(0, period.first - _BEFORE) : period.first]
