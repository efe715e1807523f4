"""What in a sentence must stand in its source to the letter: numbers, dates, names, identifiers.

Knows English months, units and small numbers; the same value in two spellings is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sextant.ask.evidence.wording.values import names_in
from sextant.ask.reading.tokens import word_set
from sextant.text.names import normal_name
from sextant.text.sentences import OPENERS
from sextant.text.words import fold

SPELT = {
    word: str(number)
    for number, word in enumerate(
        [
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ],
        2,
    )
} | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90"}
_UNITS = {
    spelling: unit
    for unit, spellings in {
        "millisecond": "ms millisecond milliseconds",
        "second": "s sec secs second seconds",
        "minute": "min mins minute minutes",
        "hour": "h hr hrs hour hours",
        "day": "day days",
        "week": "week weeks",
        "month": "month months",
        "year": "year years",
        "percent": "% percent",
        "kilobyte": "kb kilobyte kilobytes",
        "megabyte": "mb megabyte megabytes",
        "gigabyte": "gb gigabyte gigabytes",
        "euro": "eur euro euros €",
        "dollar": "usd dollar dollars $",
        "million": "million",
        "thousand": "thousand",
    }.items()
    for spelling in spellings.split()
}
_NUMBER = re.compile(
    r"(?<![^\W\d_])(?P<sign>[$€])?(?P<figure>\d+(?:[.,:/-]\d+)*)(?:[ \u00a0-]?(?P<unit>%|[a-z]+))?"
    rf"|\b(?P<spelt>{'|'.join(SPELT)})\b(?:[ -](?P<measured>[a-z]+))?"
)
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()  # noqa: SIM905 - words read best as words
_MONTH = re.compile(
    r"\b(Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)(?:uary|ruary|ch|il|e|y|ust|tember|ober|"
    r"ember)?\b|(?<=\d )(May)\b|\b(May)(?= \d)"
)
_WEEKDAY = re.compile(r"\b(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b")
_IDENTIFIER = re.compile(
    r"[A-Za-z][\w+.-]*:/+[^\s<>\"')\]]+|www\.[^\s<>\"')\]]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?:/[\w.-]+){2,}|[^\W_]+(?:[._-][^\W_]+)*_[^\W_]+(?:[._-][^\W_]+)*"
    r"|\b(?=[\w.-]*[A-Za-z])(?=[\w.-]*\d)[^\W_]+(?:[.-][^\W_]+)*\b"
)
_CODE = re.compile(r"`+([^`]+)`+")
_OPENING = OPENERS | word_set(
    "according accordingly additionally also although because both currently during either "
    "every finally first following furthermore given hence here however instead later meanwhile "
    "moreover next nobody none not nothing only otherwise overall second similarly specifically "
    "still thus today then therefore though third though unless usually whenever yes yet"
)


@dataclass(frozen=True, slots=True)
class Values:
    """The values of a text: numbers, numbers with their units, names, and what is spelt one way."""

    numbers: frozenset[str]
    measures: frozenset[tuple[str, str]]
    names: tuple[str, ...]
    identifiers: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing that would have to stand in a source."""
        return not (self.numbers or self.names or self.identifiers)


def values_of(text: str) -> Values:
    """Return the values of a text as they are compared."""
    measures = list(_measures(fold(text)))
    numbers = {number for number, _ in measures} | set(_days(text))
    identifiers = (*_CODE.findall(text), *_IDENTIFIER.findall(text))
    return Values(
        frozenset(numbers),
        frozenset((number, unit) for number, unit in measures if unit),
        tuple(_names(text)),
        tuple(dict.fromkeys(_plain(one) for one in identifiers if _plain(one))),
    )


def are_in(values: Values, text: str) -> bool:
    """Whether every value stands in a text."""
    measured = list(_measures(fold(text)))
    numbers = {number for number, _ in measured} | set(_days(text))
    bare = {number for number, unit in measured if not unit}
    if not values.numbers <= numbers:
        return False
    if any(one not in measured and one[0] not in bare for one in values.measures):
        return False
    words, plain = f" {normal_name(text)} ", _plain(text)
    return all(one in plain for one in values.identifiers) and all(
        _is_named(name, words) for name in values.names
    )


def _is_named(name: str, words: str) -> bool:
    """Whether a text has a name; a letter or a number in it must follow the same word."""
    own = name.split()
    if f" {name} " in words:
        return True
    pairs = zip(["", *own], own, strict=False)
    return all(
        f" {f'{before} {word}'.strip() if len(word) < 3 or word.isdigit() else word} " in words
        for before, word in pairs
    )


def _names(text: str) -> Iterator[str]:
    """Yield names in words; the first word of a sentence may be capital for no other reason."""
    opening = _FIRST.match(text)
    for at, run in enumerate(names_in(text)):
        is_first = at == 0 and opening is not None and run.startswith(opening[1])
        for name in _AND.split(run):
            own = normal_name(_OWNING.sub("", name)).split()
            if is_first and ((own[:1] and own[0] in _OPENING) or _is_plain(name)):
                own = own[1:]
            is_first = False
            while own[:1] and own[0] in ("of", "the"):
                own = own[1:]
            if own:
                yield " ".join(own)


_FIRST = re.compile(r"\W*(\w[\w'’-]*)")  # noqa: RUF001 - an apostrophe as it is printed
_OWNING = re.compile(r"['’]s?(?!\w)")  # noqa: RUF001 - an apostrophe as it is printed
_AND = re.compile(r" and (?:the )?")


def _is_plain(name: str) -> bool:
    return name.isalpha() and not name[1:].isupper() and name[1:].islower()


def _measures(folded: str) -> Iterator[tuple[str, str]]:
    for found in _NUMBER.finditer(folded):
        if found["spelt"]:
            yield SPELT[found["spelt"]], _UNITS.get(found["measured"] or "", "")
            continue
        parts = list(_parts(found["figure"]))
        unit = _UNITS.get(found["sign"] or found["unit"] or "", "")
        yield from ((part, unit) for part in parts)


def _parts(figure: str) -> Iterator[str]:
    """Yield the numbers of a figure: those of a date or a range, each without zeros before it."""
    if iso := _ISO.fullmatch(figure):
        yield from (iso[1], f"month {int(iso[2])}", str(int(iso[3])))
        return
    for part in re.split(r"[/-]", re.sub(r",(?=\d{3}(?:\D|$))", "", figure)):
        yield part.lstrip("0") or "0"


def _days(text: str) -> Iterator[str]:
    for found in _MONTH.finditer(text):
        name = next(one for one in found.groups() if one)
        yield f"month {_MONTHS.index(name[:3].lower()) + 1}"
    yield from (found[1] for found in _WEEKDAY.finditer(text))


def _plain(text: str) -> str:
    return " ".join(fold(text).replace("`", "").split()).strip(".,;:!?")
