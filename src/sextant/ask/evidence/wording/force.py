"""Whether what a text says holds on a day: ``from 1 May``, ``until then``. Knows no source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise

from sextant.ask.reading.dates import Period, periods_in

_BEGINS = re.compile(
    r"\b(?:from|since|as of|starting(?: on)?|beginning(?: on)?|effective|on|after)\s+"
    r"(?:\w+day,? )?$",
    re.IGNORECASE,
)
_THEN = re.compile(r"\buntil (?:then|that (?:day|date|time))\b", re.IGNORECASE)
_OLD = re.compile(
    r"\b(?:instead of|rather than|no longer|used to be|formerly|previously)\b", re.IGNORECASE
)
_BOUND = re.compile(
    r"\b(?:from|since|as of|starting|beginning|effective|on|after|until)\b.{0,30}\d", re.IGNORECASE
)
_DIGIT = re.compile(r"\d")
_WEEK = re.compile(r"\bweek\b[^.;|]*$", re.IGNORECASE)
_DAY_COLUMN = re.compile(r"\b(?:date|day)\b: $", re.IGNORECASE)
_FIRST_DAY = re.compile(r"\b(?:from|since|start\w*|begin\w*|first)\b[^.;|]*$", re.IGNORECASE)
_LAST_DAY = re.compile(
    r"\b(?:to|until|till|through|end\w*|last)\b[^.;|]*$|^ ?(?:-|\u2013|\u2014) ?$", re.IGNORECASE
)
_BEHIND = 24


def begins(text: str) -> date | None:
    """Return the day from which on a text says that it holds."""
    for period in periods_in(text) if _BOUND.search(text) else ():
        if _BEGINS.search(text[max(0, period.first - _BEHIND) : period.first]):
            return period.start
    return None


def in_force(text: str, before: str, day: date) -> bool:
    """Whether a text, after the words before it, holds on a day, as far as it says."""
    if _THEN.search(text):
        start = begins(before)
        return start is None or day < start
    if not _BOUND.search(text):
        return True
    for period in periods_in(text):
        lead = text[max(0, period.first - _BEHIND) : period.first]
        if _BEGINS.search(lead) and period.start > day:
            return False
        if re.search(r"\buntil\s+$", lead, re.IGNORECASE) and period.end <= day:
            return False
    return True


def falls(text: str, asked: Sequence[Period]) -> float:
    """Return 1 if a text names a day that is asked for, -1 if it names only others, else 0."""
    if not asked or not _DIGIT.search(text):
        return 0.0
    own = _days(text)
    if not own:
        return 0.0
    if any(start < one.end and one.start < end for start, end in own for one in asked):
        return 1.0
    return -1.0


def is_of_some_days(text: str) -> bool:
    """Whether a text tells its week or its days: ``week start: 2026-10-26``, ``from … to …``."""
    periods = periods_in(text)
    return any(_is_week(one, text) for one in periods) or any(
        _is_range(one, other, text) for one, other in pairwise(periods)
    )


def is_of_its_days(text: str) -> bool:
    """Whether a text tells its days, or has a column for its day: ``date: 2026-10-26``."""
    periods = periods_in(text)
    leads = (text[max(0, one.first - _BEHIND) : one.first] for one in periods)
    return is_of_some_days(text) or any(_DAY_COLUMN.search(lead) for lead in leads)


def _days(text: str) -> list[tuple[date, date]]:
    """Return the days that a text is about; from one to another are all between them."""
    periods = [one for one in periods_in(text) if not _is_year(one)]
    found = [_whole(one, text) for one in periods]
    for at in range(len(periods) - 1, 0, -1):
        if _is_range(periods[at - 1], periods[at], text):
            found[at - 1 : at + 1] = [(periods[at - 1].start, periods[at].end)]
    return found


def _is_range(first: Period, last: Period, text: str) -> bool:
    between = text[first.last : last.first]
    if first.start > last.start or not _LAST_DAY.search(between):
        return False
    lead = text[max(0, first.first - _BEHIND) : first.first]
    return ";" not in between or bool(_FIRST_DAY.search(lead))


def _is_week(period: Period, text: str) -> bool:
    return bool(_WEEK.search(text[max(0, period.first - _BEHIND) : period.first]))


def _whole(period: Period, text: str) -> tuple[date, date]:
    """Return the days that a period stands for: ``week start: 2026-10-26`` is seven."""
    if _is_week(period, text):
        return period.start, period.start + timedelta(days=7)
    return period.start, period.end


def _is_year(period: Period) -> bool:
    return (period.end - period.start).days > 300


def replaced(text: str) -> str:
    """Return the part of a text that tells what no longer holds: ``… instead of 48 hours``."""
    found = _OLD.search(text)
    return text[found.end() :] if found else ""
