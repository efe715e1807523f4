"""Whether what a text says holds on a day: ``from 1 May``, ``until then``. Knows no source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

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
_BEHIND = 24


def begins(text: str) -> date | None:
    """Return the day from which on a text says that it holds."""
    for period in periods_in(text):
        if _BEGINS.search(text[max(0, period.first - _BEHIND) : period.first]):
            return period.start
    return None


def in_force(text: str, before: str, day: date) -> bool:
    """Whether a text, after the words before it, holds on a day, as far as it says."""
    if _THEN.search(text):
        start = begins(before)
        return start is None or day < start
    for period in periods_in(text):
        lead = text[max(0, period.first - _BEHIND) : period.first]
        if _BEGINS.search(lead) and period.start > day:
            return False
        if re.search(r"\buntil\s+$", lead, re.IGNORECASE) and period.end <= day:
            return False
    return True


def falls(text: str, asked: Sequence[Period]) -> float:
    """Return 1 if a text names a day that is asked for, -1 if it names only others, else 0."""
    own = [one for one in periods_in(text) if not _is_year(one)]
    if not own or not asked:
        return 0.0
    if any(one.start < other.end and other.start < one.end for one in own for other in asked):
        return 1.0
    return -1.0


def _is_year(period: Period) -> bool:
    return (period.end - period.start).days > 300


def replaced(text: str) -> str:
    """Return the part of a text that tells what no longer holds: ``… instead of 48 hours``."""
    found = _OLD.search(text)
    return text[found.end() :] if found else ""
