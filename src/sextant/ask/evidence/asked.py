"""What a part of a question asks of a piece of text, and pieces of text made ready to compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from math import log

from sextant.ask.evidence.units import Unit, units_of
from sextant.ask.evidence.worth import worths
from sextant.ask.expand import Expansion
from sextant.ask.plan import Goal
from sextant.ask.reading.tokens import STOP_WORDS
from sextant.text.names import normal_name
from sextant.text.words import Words, fold, words_in
from sextant.types import Hit, Linked


@dataclass(frozen=True, slots=True)
class Part:
    """A query of the plan, with what the graph knows of its names and of what was found."""

    goal: Goal
    linked: tuple[Linked, ...] = ()
    expansion: Expansion = field(default_factory=Expansion)
    reached: Expansion = field(default_factory=Expansion)


@dataclass(frozen=True, slots=True)
class Read:
    """A piece of evidence as it is compared: its stems and names, and those it stands under."""

    unit: Unit
    terms: frozenset[str]
    around: frozenset[str]
    name: str
    heading: str
    before: str
    prior: float
    worth: float


@dataclass(frozen=True, slots=True)
class Name:
    """A name in a question in all its forms, whom it may mean, and what it weighs."""

    forms: tuple[str, ...]
    entity_ids: frozenset[str]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Asked:
    """The stems of a part with what each weighs, its names, and the day that it is about."""

    part: Part
    terms: Mapping[str, float]
    names: tuple[Name, ...]
    day: date

    @property
    def weight(self) -> float:
        """What everything that is asked weighs together."""
        return sum(self.terms.values()) + sum(name.weight for name in self.names)


_NAME = 1.6
"""A name weighs more than any word beside it."""


def read(hits: Sequence[Hit], words: Words) -> list[Read]:
    """Return the pieces of the hits, best hit first."""
    best = max((hit.scores.total for hit in hits), default=0.0) or 1.0
    worth = worths(hit.passage.document for hit in hits)
    found: list[Read] = []
    for hit in hits:
        found += _read(hit, words, max(0.0, hit.scores.total / best), worth)
    return found


def _read(hit: Hit, words: Words, prior: float, worth: Mapping[str, float]) -> list[Read]:
    document = hit.passage.document
    heading = " ".join([document.title, *hit.passage.chunk.headings])
    over, name = frozenset(content(words, heading)), named(heading)
    found, before = [], ""
    for unit in units_of(hit.passage):
        own = frozenset(content(words, unit.text))
        around, title = over, name
        if unit.under:
            around, title = over | frozenset(content(words, unit.under)), name + named(unit.under)
        spelt = named(unit.text)
        found.append(Read(unit, own, around, spelt, title, before, prior, worth[document.id]))
        before = unit.text
    return found


def asked(part: Part, reads: Sequence[Read], words: Words, today: date) -> Asked:
    """Return what a part asks, each word weighed by how few of the pieces have it."""
    counts = Counter(term for one in reads for term in one.terms)
    terms = {
        term: log(1 + (len(reads) - counts[term] + 0.5) / (counts[term] + 0.5))
        for term in content(words, _bare(part))
    }
    heavy = _NAME * max(terms.values(), default=1.0)
    days = part.goal.wants.dates
    return Asked(part, terms, tuple(_names(part, heavy)), days[0].start if days else today)


def _names(part: Part, weight: float) -> list[Name]:
    spans: dict[tuple[int, int], list[Linked]] = {}
    for one in part.linked:
        spans.setdefault((one.start, one.end), []).append(one)
    return [_name(own, part, weight) for own in spans.values()]


def _name(linked: Sequence[Linked], part: Part, weight: float) -> Name:
    known = [part.expansion.entities.get(one.entity_id) for one in linked]
    names = {spelling for one in linked for spelling in (one.matched, one.name)}
    names |= {alias for entity in known if entity for alias in (entity.name, *entity.aliases)}
    forms = tuple(sorted({named(name) for name in names if name.strip()}))
    return Name(forms, frozenset(one.entity_id for one in linked), weight)


def _bare(part: Part) -> str:
    """Return the question without the names that were linked."""
    text, kept, at = part.goal.text, [], 0
    for start, end in sorted({(one.start, one.end) for one in part.linked}):
        if start >= at and end <= len(text):
            kept.append(text[at:start])
            at = end
    return " ".join([*kept, text[at:]])


def named(text: str) -> str:
    """Return a text so that a name in it can be found as whole words."""
    return f" {normal_name(text)} "


def content(words: Words, text: str) -> list[str]:
    """Return the stems of the words that mean something, each once."""
    told = [word for word in words_in(fold(text)) if word not in STOP_WORDS]
    return list(dict.fromkeys(words.terms(" ".join(told))))


def spoken(words: Words, text: str) -> dict[str, str]:
    """Return for each stem that means something the word as it was asked."""
    told: dict[str, str] = {}
    for word in words_in(text):
        if fold(word) not in STOP_WORDS:
            for term in words.terms(word):
                told.setdefault(term, word)
    return told
