"""What in a sentence must stand in its source to the letter: numbers, dates, names, identifiers.

Knows English months, units and small numbers; the same value in two spellings is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sextant.ask.grounding.capitals import capitalised_names
from sextant.ask.grounding.marks import bound_before, bound_behind
from sextant.text.names import normal_name
from sextant.text.prose.sentences import OPENERS
from sextant.text.tokens import STOP_WORDS, word_set
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
    r"(?<![^\W\d_])(?P<sign>[$€])?(?P<figure>\d+(?:[.,:/-]\d+)*)"
    r"(?:[ \u00a0-]?(?P<unit>%|€|[a-z]+))?"
    rf"|\b(?P<spelt>{'|'.join(SPELT)})\b(?:[ -](?P<measured>[a-z]+))?"
)
_BEFORE = re.compile(r"([a-z]+)\W{1,2}\Z")
_CELL = re.compile(r"(?:[:|]\s*|\A)\Z"), re.compile(r"\s*(?:[;|\n]|\.?\s*\Z)")
_LOOK = 30
"""So far before a number its bound is looked for."""

_MEASURES = frozenset(_UNITS.values())
_DATE = "day of a month"
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
class Figure:
    """A number with what it counts, the word before it, its bound, and whether it stands alone."""

    number: str
    counted: str = ""
    before: str = ""
    bound: str = ""
    is_cell: bool = False

    def is_told_by(self, other: Figure) -> bool:
        """Whether another figure says at least as much."""
        if self.number != other.number or not (other.is_cell or self.bound == other.bound):
            return False
        named = self.before and self.before == other.before and self.counted not in _MEASURES
        return self.counted in ("", other.counted) or bool(named) or other.is_cell


@dataclass(frozen=True, slots=True)
class Values:
    """The values of a text: figures, days and months, names, and what is spelt one way."""

    figures: tuple[Figure, ...]
    days: frozenset[str]
    names: tuple[str, ...]
    identifiers: tuple[str, ...]

    @property
    def numbers(self) -> frozenset[str]:
        """The numbers alone, and the days."""
        return self.days | {one.number for one in self.figures}

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing that would have to stand in a source."""
        return not (self.figures or self.days or self.names or self.identifiers)


def values_of(text: str) -> Values:
    """Return the values of a text as they are compared."""
    identifiers = (*_CODE.findall(text), *_IDENTIFIER.findall(text))
    return Values(
        tuple(_figures(fold(text))),
        frozenset(_days(text)),
        tuple(_names(text)),
        tuple(dict.fromkeys(_plain(one) for one in identifiers if _plain(one))),
    )


def are_in(values: Values, text: str) -> bool:
    """Whether every value stands in a text, each number with what it counts and its bound."""
    told = list(_figures(fold(text)))
    if not values.days <= {*_days(text), *(one.number for one in told)}:
        return False
    if not all(any(mine.is_told_by(one) for one in told) for mine in values.figures):
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
    for at, run in enumerate(capitalised_names(text)):
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


def _figures(folded: str) -> Iterator[Figure]:
    for found in _NUMBER.finditer(folded):
        ahead, behind = folded[max(0, found.start() - _LOOK) : found.start()], found.end()
        word = found["sign"] or found["unit"] or found["measured"] or ""
        end = found.end("figure") if found["figure"] else found.end("spelt")
        before = _BEFORE.search(ahead)
        owner = before[1] if before and before[1] not in STOP_WORDS else ""
        bound = bound_before(ahead) or bound_behind(folded[end : behind + _LOOK])
        is_cell = bool(_CELL[0].search(ahead) and _CELL[1].match(folded, end))
        numbers = [SPELT[found["spelt"]]] if found["spelt"] else list(parts_of(found["figure"]))
        for number in numbers:
            counted = "" if _STANDS_ALONE.fullmatch(number) else _counted(word, owner)
            if _ISO.fullmatch(found["figure"] or "") and not _STANDS_ALONE.fullmatch(number):
                counted = _DATE
            yield Figure(number, counted, owner, bound, is_cell)


_IN_MONTH = re.compile(
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_STANDS_ALONE = re.compile(r"(?:19|20)\d\d|\d+:\d+|month \d+")


def _counted(word: str, before: str) -> str:
    """Return what is counted in one spelling: a unit, a month, or what follows the number."""
    if _IN_MONTH.fullmatch(word) or (_IN_MONTH.fullmatch(before) and word not in _UNITS):
        return _DATE
    if word in STOP_WORDS and word not in _UNITS:
        return ""
    return _UNITS.get(word, word.removesuffix("s"))


def parts_of(figure: str) -> Iterator[str]:
    """Yield the numbers of a figure: those of a date or a range, each without zeros before it."""
    if iso := _ISO.fullmatch(figure):
        yield from (str(int(iso[3])), f"month {int(iso[2])}", iso[1])
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
