"""How well a piece of evidence answers a part: its words and names, its form, its standing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sextant.ask.evidence.asked import Asked, Name, likelihood
from sextant.ask.evidence.marking.fit import fit
from sextant.ask.evidence.marking.likeness import likeness
from sextant.ask.evidence.read import Read
from sextant.ask.reading.wants import Kind

_UNDER, _BRIDGED, _NEAR = 0.7, 0.6, 0.35
"""What a word counts for that stands over a piece, a name that its title is told with, or that
its passage mentions."""

_MEANT = 3.0
"""What it counts for that a piece is likely what is asked for, beside the same words and others."""

_LOOKED_AT = 30
_ASIDE = 0.7
"""What is left of a piece that has none of the words that are asked for."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A piece of evidence and what it scores."""

    score: float
    read: Read


def marked(wanted: Asked, reads: Sequence[Read]) -> list[Mark]:
    """Return the pieces that speak most of what is asked with what each scores, best first."""
    alike = likeness(wanted.stems, [one.stems for one in reads])
    marks = ordered(
        Mark(_standing(wanted, one, own), one) for one, own in zip(reads, alike, strict=True)
    )
    return ordered(
        Mark(mark.score * fit(wanted, mark.read), mark.read)
        for mark in marks[:_LOOKED_AT]
        if mark.score > 0
    )


def ordered(marks: Iterable[Mark]) -> list[Mark]:
    """Return marks with the best first; of equals, what stands first."""
    return sorted(marks, key=_order)


def _order(mark: Mark) -> tuple[float, str, int]:
    unit = mark.read.unit
    return -round(mark.score, 9), unit.passage.chunk.id, unit.start


def _standing(wanted: Asked, one: Read, alike: float) -> float:
    """Return how much a piece speaks of what is asked, and how far it is to be believed.

    What it says in other words counts as much as what it says in the same; what was read of it as
    a whole counts more, where it was.
    """
    about = overlap(wanted, one) + max(0.0, alike)
    odds = wanted.odds_of(one.unit)
    if odds is None:
        about /= 2
    else:
        about = (about + _MEANT * likelihood(odds)) / (2 + _MEANT)
    return about * (0.4 + 0.6 * one.prior) * (0.2 + 0.8 * one.worth)


def overlap(wanted: Asked, one: Read) -> float:
    """Return in 0 to 1 how much of what is asked a piece speaks of, or stands under."""
    have = sum(weight * _has(one, term) for term, weight in wanted.terms.items())
    have += sum(name.weight * _speaks_of(one, name) for name in wanted.names)
    is_reason = wanted.part.goal.wants.kind == Kind.REASON
    if wanted.terms and one.terms.isdisjoint(wanted.terms) and not is_reason:
        have *= _ASIDE
    return have / wanted.weight if wanted.weight else 0.0


def _has(one: Read, term: str) -> float:
    if term in one.terms:
        return 1.0
    return _UNDER if term in one.around else 0.0


def _speaks_of(one: Read, name: Name) -> float:
    if any(form in one.name or form in one.heading for form in name.forms):
        return 1.0
    if one.title in name.bridges:
        return _BRIDGED
    near = name.entity_ids.intersection(one.unit.passage.chunk.entity_ids)
    return _NEAR if near else 0.0
