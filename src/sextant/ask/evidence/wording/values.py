"""The values that a text holds: numbers with their units, dates, times, names. Knows English."""

from __future__ import annotations

import re

from sextant.text.prose.sentences import OPENERS

_NUMBER = (
    r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|one|two|three|four|five|six|seven|eight|nine|"
    r"ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|ninety|half an?)"
)
_FIGURE = re.compile(r"(?<![\w.:/-])\d[\d,.]*\d(?![\w:/-])|(?<![\w.:/-])\d(?![\w:/-])")
_SPELT = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|"
    r"fifty|sixty|ninety|hundred|thousand|million|none|once|twice|both|nobody)\b",
    re.IGNORECASE,
)
_SPAN = (
    r"(?:milliseconds?|ms|seconds?|secs?|minutes?|mins?|hours?|hrs?|(?:working |business )?days?|"
    r"weeks?|fortnights?|months?|quarters?|years?|nights?|weekends?)"
)
DURATION = re.compile(
    rf"\b{_NUMBER}[ -](?:\*\s*)?(?:time\.)?{_SPAN}\b|"
    r"\b(?:an hour|a (?:week|month|year|quarter))\b|\bat once\b|\bimmediately\b",
    re.IGNORECASE,
)
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|"
    r"Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_DAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
DATE = re.compile(
    rf"(?<![\w-])(?:\d{{1,2}} {_MONTH}(?: \d{{4}})?|{_MONTH} \d{{1,2}}(?:, \d{{4}})?|"
    rf"{_MONTH} \d{{4}}|"
    rf"\d{{4}}-\d{{2}}-\d{{2}}|(?:19|20)\d{{2}})(?![\w-])"
)
TIME = re.compile(rf"\b(?:\d{{1,2}}:\d{{2}}(?: ?[ap]m)?|\d{{1,2}} ?[ap]m|noon|midnight|{_DAY})\b")
AMOUNT = re.compile(
    r"(?:[$€£¥]\s?\d[\d,.]*|\b\d[\d,.]*\s?(?:%|percent|per cent|EUR|USD|GBP|CHF|euros?|dollars?|"
    r"pounds?|kilobytes?|megabytes?|gigabytes?|[kKMGT]i?B|bytes?|kg|km|[a-z]+ (?:per|a|an) [a-z]+)"
    r"(?!\w))"
)
_NAME = re.compile(
    r"\b[A-Z][\w&'-]*(?: (?:of (?:the )?|and )?(?:[A-Z][\w&'-]*|[A-Z]?\d{1,3}\b(?! [A-Z])))*"
)
_PLACE = re.compile(
    r"\b(?:in|at|near|from|to|outside|around|of|on) (?:the )?([A-Z][\w'-]*(?:[ -][A-Z][\w'-]*)*)"
)


def values_in(text: str, kind: str) -> list[str]:
    """Return the values of the kind that is asked for, as they are compared."""
    match kind:
        case "duration":
            found = DURATION.findall(text)
        case "date":
            found = DATE.findall(text)
        case "time":
            found = TIME.findall(text) + DATE.findall(text)
        case "amount":
            found = AMOUNT.findall(text) or _FIGURE.findall(text)
        case "count":
            found = _FIGURE.findall(text) or _SPELT.findall(text)
        case "place":
            found = _PLACE.findall(text)
        case _:
            return []
    return [" ".join(one.lower().split()) for one in found]


def names_in(text: str) -> list[str]:
    """Return what is written like a name, without the words that open a sentence and dates."""
    found = []
    for name in _NAME.findall(text):
        words = name.split()
        while words and words[0].lower() in OPENERS:
            words = words[1:]
        if words and not _NO_NAMES.match(words[0]):
            found.append(" ".join(words))
    return found


_NO_NAMES = re.compile(rf"(?:{_DAY}|{_MONTH}|UTC|EUR|USD|GBP|CHF)$")


def dimension(value: str) -> str:
    """Return what a value is measured in, so that two of one kind can be told apart."""
    return re.sub(r"[\d.,:*\s-]+", " ", value).strip().rstrip("s")
