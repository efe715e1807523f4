"""How well a piece of evidence answers a part: its words and names, its form, its standing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sextant.ask.evidence.asked import Asked, Name, Read
from sextant.ask.evidence.fit import fit

_UNDER, _TITLED, _NEAR = 0.7, 0.85, 0.35


@dataclass(frozen=True, slots=True)
class Mark:
    """A piece of evidence and what it scores."""

    score: float
    read: Read


def marked(wanted: Asked, reads: Sequence[Read]) -> list[Mark]:
    """Return the pieces that speak of what is asked with what each scores, the best first."""
    marks = [Mark(_score(wanted, one), one) for one in reads]
    return ordered(mark for mark in marks if mark.score > 0)


def ordered(marks: Iterable[Mark]) -> list[Mark]:
    """Return marks with the best first; of equals, what stands first."""
    return sorted(marks, key=_order)


def _order(mark: Mark) -> tuple[float, str, int]:
    unit = mark.read.unit
    return -round(mark.score, 9), unit.passage.chunk.id, unit.start


def _score(wanted: Asked, one: Read) -> float:
    about = overlap(wanted, one)
    if not about:
        return 0.0
    return about * fit(wanted, one) * (0.6 + 0.4 * one.prior) * (0.2 + 0.8 * one.worth)


def overlap(wanted: Asked, one: Read) -> float:
    """Return in 0 to 1 how much of what is asked a piece speaks of, or stands under."""
    have = sum(
        weight * (1.0 if term in one.terms else _UNDER)
        for term, weight in wanted.terms.items()
        if term in one.terms or term in one.around
    )
    have += sum(name.weight * _speaks_of(one, name) for name in wanted.names)
    return have / wanted.weight if wanted.weight else 0.0


def _speaks_of(one: Read, name: Name) -> float:
    if any(form in one.name for form in name.forms):
        return 1.0
    if any(form in one.heading for form in name.forms):
        return _TITLED
    near = name.entity_ids.intersection(one.unit.passage.chunk.entity_ids)
    return _NEAR if near else 0.0
