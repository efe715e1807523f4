"""What a part of a question asks of a piece of text, made ready to compare."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from sextant.ask.evidence.read import Read, content, named
from sextant.ask.evidence.wording.bounds import Quantity, quantities
from sextant.ask.evidence.wording.values import values_in
from sextant.ask.plan import Goal
from sextant.ask.reading.wants import Kind
from sextant.retrieval.expand import Expansion
from sextant.text.bm25 import rarity
from sextant.text.prose.units import Unit
from sextant.text.words import Words
from sextant.types import Linked, Passage

Odds = Mapping[tuple[str, int, int], float]
"""The log odds that a piece is what is asked for, by its chunk's id, its start and its end."""

_LEAST_ODDS, _ODDS = -4.0, 8.0
"""Below these odds a piece is not what is asked for; so far above them it surely is."""


def likelihood(odds: float) -> float:
    """Return in 0 to 1 how likely a piece of such odds is what is asked for."""
    return min(1.0, max(0.0, (odds - _LEAST_ODDS) / _ODDS))


@dataclass(frozen=True, slots=True)
class Part:
    """A query of the plan, with what the graph knows of its names and of what was found.

    ``embedded_as`` is the text by which pieces have odds of being what it asks; empty without any.
    """

    goal: Goal
    linked: tuple[Linked, ...] = ()
    expansion: Expansion = field(default_factory=Expansion)
    reached: Expansion = field(default_factory=Expansion)
    embedded_as: str = ""


@dataclass(frozen=True, slots=True)
class Name:
    """A name in a question in all its forms, whom it may mean, and what it weighs.

    ``bridges`` are the titles that are named where the name is spoken of.
    """

    forms: tuple[str, ...]
    entity_ids: frozenset[str]
    weight: float = 1.0
    bridges: frozenset[str] = frozenset()

    def is_in(self, one: Read) -> bool:
        """Whether a piece has the name, or stands in a document that is about it."""
        return one.title in self.forms or any(form in one.name for form in self.forms)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a part asks, made ready to compare: its stems with their weights, names and values.

    ``items`` are all that weighs something: stems, names by their first form, and the date.
    ``day`` is the day that it is about, ``spelt`` the question as names are found in it, ``found``
    the passages that may answer it, ``odds`` what an embedder says of the pieces, if it can tell.
    """

    part: Part
    stems: tuple[str, ...]
    terms: Mapping[str, float]
    names: tuple[Name, ...]
    items: Mapping[str, float]
    weight: float
    day: date
    spelt: str
    values: frozenset[str]
    quantities: tuple[Quantity, ...]
    found: tuple[Passage, ...]
    odds: Odds = field(default_factory=dict)

    def odds_of(self, unit: Unit) -> float | None:
        """Return how likely a piece is what is asked for; None if that is not known."""
        return self.odds.get((unit.passage.chunk.id, unit.start, unit.end))


DATE = "\n"
"""Stands among stems and names for the date that is asked about."""


def asked(part: Part, reads: Sequence[Read], words: Words, today: date) -> Asked:
    """Return what a part asks, each word weighed by how few of the pieces have it."""
    counts = Counter(term for one in reads for term in one.terms)
    terms = {term: rarity(counts[term], len(reads)) for term in content(words, _bare(part))}
    usual = sorted(weight for term, weight in terms.items() if counts[term])
    heavy = usual[len(usual) // 2] if usual else 1.0
    terms = {term: weight if counts[term] else heavy for term, weight in terms.items()}
    names = [_weighed(name, reads, heavy) for name in _names(part)]
    days, text = part.goal.wants.dates, part.goal.text
    items = {name.forms[0]: name.weight for name in names} | terms
    if days:
        items[DATE] = heavy
    return Asked(
        part,
        tuple(dict.fromkeys(words.terms(text))),
        terms,
        tuple(names),
        items,
        sum(items.values()),
        days[0].start if days else today,
        named(text),
        frozenset(values_in(text, part.goal.wants.kind)),
        tuple(quantities(text)),
        tuple({one.unit.passage.chunk.id: one.unit.passage for one in reads}.values()),
    )


def _weighed(name: Name, reads: Sequence[Read], heavy: float) -> Name:
    """Return a name that weighs no less than the words beside it, the rarer the more."""
    count = sum(any(form in one.name for form in name.forms) for one in reads)
    weight = max(heavy, rarity(count, len(reads)))
    about = " ".join(one.name for one in reads if name.is_in(one))
    titles = {one.title for one in reads} - set(name.forms)
    bridges = frozenset(title for title in titles if title.strip() and title in about)
    return replace(name, weight=weight, bridges=bridges)


def _names(part: Part) -> list[Name]:
    """Return the names of a part, each once, however often and however it is spelt."""
    spans: dict[tuple[int, int], list[Linked]] = {}
    for one in spelt_out(part.linked):
        spans.setdefault((one.start, one.end), []).append(one)
    found = {name.entity_ids: name for name in (_name(own, part) for own in spans.values())}
    return [name for name in found.values() if name.forms]


def _name(linked: Sequence[Linked], part: Part) -> Name:
    known = [part.expansion.entities.get(one.entity_id) for one in linked]
    names = {spelling for one in linked for spelling in (one.matched, one.name)}
    names |= {alias for entity in known if entity for alias in (entity.name, *entity.aliases)}
    forms = tuple(sorted({named(name) for name in names if name.strip()}))
    return Name(forms, frozenset(one.entity_id for one in linked))


def spelt_out(linked: Sequence[Linked]) -> list[Linked]:
    """Return whom a question names, without whom it may only mean."""
    return [one for one in linked if one.how != BY_MEANING]


BY_MEANING = "meaning"


def _bare(part: Part) -> str:
    """Return the question without the names that were linked and the dates that were read."""
    text, kept, at = _HOW.sub(_blank, part.goal.text), [], 0
    if part.goal.wants.kind == Kind.DURATION:
        text = _LASTS.sub(_blank, text)
    spans = {(one.start, one.end) for one in spelt_out(part.linked)}
    spans |= {(one.first, one.last) for one in part.goal.wants.dates}
    for start, end in sorted(spans):
        if start >= at and end <= len(text):
            kept.append(text[at:start])
            at = end
    return " ".join([*kept, text[at:]])


_HOW = re.compile(
    r"\bhow (?:long|soon|often|much|many|far|big|large|old|high|fast|late|early)\b", re.IGNORECASE
)


_LASTS = re.compile(r"\b(?:takes?|lasts?|does it take)\b", re.IGNORECASE)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found.group())
