"""Dates in a question, as periods of days. Knows English months, not what a date is about."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()  # noqa: SIM905 - reads best
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_COUNT = {
    word: number
    for number, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve".split(),  # noqa: SIM905
        start=1,
    )
} | {"a": 1, "an": 1, "few": 3, "couple of": 2}

_NUMBER = "|".join(_COUNT)
_NAMED_DAYS = {
    "day before yesterday": -2,
    "day after tomorrow": 2,
    "yesterday": -1,
    "today": 0,
    "tonight": 0,
    "tomorrow": 1,
}
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()  # noqa: SIM905 - reads best
_UNITS_BACK = {"last": 1, "past": 1, "previous": 1, "next": -1, "coming": -1}
_WHICH = "|".join(("this", *_UNITS_BACK)).replace("next", "(?<!the )(?<!after )next")
"""What is put off to the next week is put off from any week to the one behind it."""

_MONTHS_A_YEAR = 12


@dataclass(frozen=True, slots=True)
class Period:
    """Days from start to the one before end, and where the text says so."""

    start: date
    end: date
    text: str
    first: int
    last: int


Span = tuple[date, date]


def periods_in(text: str, today: date | None = None) -> tuple[Period, ...]:
    """Return the periods that a text names, in order; relative ones only if today is known."""
    found: list[Period] = []
    for match in _ANY.finditer(text):
        span = _span(match, today)
        if span:
            found.append(Period(*span, match.group(), *match.span()))
    return tuple(found)


def _span(match: re.Match[str], today: date | None) -> Span | None:
    for pattern, read in _FORMS:
        form = pattern.fullmatch(match.string, *match.span())
        if form:
            try:
                return read(form, today)
            except (ValueError, OverflowError):
                return None
    return None


def _iso(form: re.Match[str], _: date | None) -> Span:
    return _day(int(form["year"]), int(form["mm"]), int(form["dd"]))


def _slashed(form: re.Match[str], _: date | None) -> Span | None:
    """Read ``25/12/2026`` and ``12/25/2026``, and all others of a text in the same order."""
    first, second = int(form["dd"]), int(form["mm"])
    if first == second:
        return _day(int(form["year"]), first, second)
    orders = _orders_in(form.string)
    if len(orders) != 1:
        return None
    month, day = (second, first) if "day first" in orders else (first, second)
    return _day(int(form["year"]), month, day)


@lru_cache(256)
def _orders_in(text: str) -> frozenset[str]:
    """Return in which orders days and months stand; of ``11/09/2026`` alone nobody knows."""
    found = [(int(one["dd"]), int(one["mm"])) for one in _SLASHED.finditer(text)]
    named = [("day first", day) for day, _ in found] + [("month first", day) for _, day in found]
    return frozenset(order for order, day in named if day > _MONTHS_A_YEAR)


def _iso_week(form: re.Match[str], _: date | None) -> Span:
    monday = date.fromisocalendar(int(form["year"]), int(form["week"]), 1)
    return monday, monday + timedelta(days=7)


def _iso_month(form: re.Match[str], _: date | None) -> Span:
    return _month(int(form["year"]), int(form["mm"]))


def _full(form: re.Match[str], today: date | None) -> Span | None:
    month = _month_number(form["month"])
    if form["year"]:
        return _day(int(form["year"]), month, int(form["day"]))
    if today is None:
        return None
    span = _day(today.year, month, int(form["day"]))
    return span if span[0] <= today else _day(today.year - 1, month, int(form["day"]))


def _month_of_year(form: re.Match[str], _: date | None) -> Span:
    return _month(int(form["year"]), _month_number(form["month"]))


def _bare_month(form: re.Match[str], today: date | None) -> Span | None:
    """Read ``in March`` as the last one that began."""
    if today is None:
        return None
    month = _month_number(form["month"])
    return _month(today.year if month <= today.month else today.year - 1, month)


def _quarter(form: re.Match[str], _: date | None) -> Span:
    first = 3 * int(form["quarter"]) - 2
    year = int(form["year"])
    return date(year, first, 1), _month(year, first + 2)[1]


def _year(form: re.Match[str], _: date | None) -> Span:
    return date(int(form["year"]), 1, 1), date(int(form["year"]) + 1, 1, 1)


def _named_day(form: re.Match[str], today: date | None) -> Span | None:
    if today is None:
        return None
    day = today + timedelta(days=_NAMED_DAYS[form["named"].lower()])
    return day, day + timedelta(days=1)


def _weekday(form: re.Match[str], today: date | None) -> Span | None:
    """Read ``next Monday`` as the first one behind today, ``last Monday`` as the one before it."""
    if today is None:
        return None
    of_this_week = _WEEKDAYS.index(form["weekday"].lower()) - today.weekday()
    match form["which"].lower():
        case "last" | "past" | "previous":
            day = today + timedelta(days=of_this_week % 7 - 7)
        case "this":
            day = today + timedelta(days=of_this_week)
        case _:
            day = today + timedelta(days=of_this_week % 7 or 7)
    return day, day + timedelta(days=1)


def _unit(form: re.Match[str], today: date | None) -> Span | None:
    """Read ``last month``, ``this year`` and ``next week``."""
    if today is None:
        return None
    back = _UNITS_BACK.get(form["which"].lower(), 0)
    match form["unit"].lower():
        case "week":
            monday = today - timedelta(days=today.weekday() + 7 * back)
            return monday, monday + timedelta(days=7)
        case "month":
            return _month(*_months_back(today, back))
        case "quarter":
            year, month = _months_back(today.replace(day=1), back * 3)
            first = 3 * ((month - 1) // 3) + 1
            return date(year, first, 1), _month(year, first + 2)[1]
        case _:
            return date(today.year - back, 1, 1), date(today.year - back + 1, 1, 1)


def _recent(form: re.Match[str], today: date | None) -> Span | None:
    """Read ``the last 30 days``."""
    if today is None:
        return None
    said = " ".join(form["count"].lower().split())
    count = int(said) if said.isdecimal() else _COUNT[said]
    end = today + timedelta(days=1)
    unit = form["unit"].lower()
    if unit in ("day", "week"):
        return today - timedelta(days=count * (7 if unit == "week" else 1)), end
    year, month = _months_back(today, count * (12 if unit == "year" else 1))
    last = _month(year, month)[1] - timedelta(days=1)
    return date(year, month, min(today.day, last.day)), end


def _day(year: int, month: int, day: int) -> Span:
    start = date(year, month, day)
    return start, start + timedelta(days=1)


def _month(year: int, month: int) -> Span:
    return date(year, month, 1), date(year + month // 12, month % 12 + 1, 1)


def _months_back(day: date, count: int) -> tuple[int, int]:
    months = day.year * 12 + day.month - 1 - count
    return months // 12, months % 12 + 1


def _month_number(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


_SLASHED_FORM = rf"(?P<dd>0?[1-9]|[12]\d|3[01])/(?P<mm>0?[1-9]|[12]\d|3[01])/{_YEAR}\b(?!/)"
_ALONE = r"(?<![\w.,:/#-])"
_SLASHED = re.compile(_ALONE + _SLASHED_FORM)
_BEFORE_MONTH = "in of by since before after until last during from between".split()  # noqa: SIM905 - reads best
_READERS: tuple[tuple[str, Callable[[re.Match[str], date | None], Span | None]], ...] = (
    (rf"{_YEAR}[-/.](?P<mm>0?[1-9]|1[0-2])[-/.](?P<dd>0?[1-9]|[12]\d|3[01])\b", _iso),
    (rf"{_YEAR}-?w(?P<week>0?[1-9]|[1-4]\d|5[0-3])\b", _iso_week),
    (rf"(?P<dd>0?[1-9]|[12]\d|3[01])\.(?P<mm>0?[1-9]|1[0-2])\.{_YEAR}\b(?!\.\d)", _iso),
    (_SLASHED_FORM, _slashed),
    (rf"{_YEAR}-(?P<mm>0[1-9]|1[0-2])\b(?!-)", _iso_month),
    (rf"(?:the )?{_DAY} (?:of )?{_MONTH}(?:,? {_YEAR}\b)?", _full),
    (rf"{_MONTH} {_DAY}\b(?! ?(?::|%))(?:,? {_YEAR}\b)?", _full),
    (rf"{_MONTH},? (?:of )?{_YEAR}\b", _month_of_year),
    (rf"q(?P<quarter>[1-4])[ /-]{_YEAR}\b", _quarter),
    (
        rf"(?:last|past|previous) (?P<count>\d{{1,3}}|{_NUMBER}) (?P<unit>day|week|month|year)s?\b",
        _recent,
    ),
    (
        rf"(?P<which>{_WHICH}|current) (?P<unit>week|month|quarter|year)\b",
        _unit,
    ),
    (
        rf"(?P<which>{_WHICH}) (?P<weekday>{'|'.join(_WEEKDAYS)})\b(?!\.\w)",
        _weekday,
    ),
    (rf"(?P<named>{'|'.join(_NAMED_DAYS)})\b", _named_day),
    (rf"{_YEAR}\b(?![-/.,:]\d|[-_\w])", _year),
    (
        rf"(?:{'|'.join(f'(?<={word} )' for word in _BEFORE_MONTH)}){_MONTH}",
        _bare_month,
    ),
)
_FORMS = tuple((re.compile(form, re.I), read) for form, read in _READERS)
_ANY = re.compile(
    _ALONE + "(?:" + "|".join(re.sub(r"\?P<\w+>", "?:", form) for form, _ in _READERS) + ")",
    re.I,
)
