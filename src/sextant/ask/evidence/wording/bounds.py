"""Whether a quantity in a question falls under a condition in a text: ``above 2,000 EUR``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_NUMBER = r"(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
_UNIT = r"\s?([A-Za-z%€$£]+)"
_OVER = r"above|over|more than|larger than|greater than|longer than|exceeds?|exceeding|beyond|after"
_FROM = r"at least|from|no less than"
_UPTO = r"up to|at most|no more than|within|and up to"
_BELOW = r"below|under|less than|fewer than|smaller than"
_CONDITION = re.compile(
    rf"\b({_OVER}|{_FROM}|{_UPTO}|{_BELOW})\s+{_NUMBER}{_UNIT}|{_NUMBER}{_UNIT}? or (more|less)\b",
    re.IGNORECASE,
)
_QUANTITY = re.compile(rf"(?<![\w.,:-]){_NUMBER}{_UNIT}")
_SECONDS = {
    "millisecond": 0.001,
    "ms": 0.001,
    "second": 1.0,
    "minute": 60.0,
    "hour": 3600.0,
    "day": 86400.0,
    "week": 604800.0,
    "month": 2629800.0,
    "year": 31557600.0,
}

Quantity = tuple[float, str]


def quantities(text: str) -> list[Quantity]:
    """Return the numbers of a text with what they count, all spans of time in seconds."""
    return [_quantity(number, unit) for number, unit in _QUANTITY.findall(text)]


def holds(text: str, asked: Sequence[Quantity]) -> float:
    """Return 1 if the conditions in a text hold for what is asked, -1 if one does not, else 0."""
    met = 0.0
    for sort, (limit, unit) in _conditions(text):
        for value, own in asked:
            if own == unit:
                if not _meets(value, sort, limit):
                    return -1.0
                met = 1.0
    return met


def _conditions(text: str) -> Iterator[tuple[str, Quantity]]:
    for sort, number, unit, other, its, more in _CONDITION.findall(text):
        if sort:
            yield _sort(sort.lower()), _quantity(number, unit)
        else:
            yield "from" if more.lower() == "more" else "up to", _quantity(other, its)


def _sort(word: str) -> str:
    for sort, words in (("over", _OVER), ("from", _FROM), ("up to", _UPTO)):
        if re.fullmatch(words, word):
            return sort
    return "below"


def _meets(value: float, sort: str, limit: float) -> bool:
    match sort:
        case "over":
            return value > limit
        case "from":
            return value >= limit
        case "up to":
            return value <= limit
        case _:
            return value < limit


def _quantity(number: str, unit: str) -> Quantity:
    value, name = float(number.replace(",", "")), unit.lower()
    name = name.removesuffix("s") if len(name) > 2 else name
    if name in _SECONDS:
        return round(value * _SECONDS[name], 6), "time"
    return value, name
