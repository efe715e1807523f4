"""Whether a piece of text can be the sort of answer that is asked for. Knows no source."""

from __future__ import annotations

from sextant.ask.evidence.asked import Asked, Read, named
from sextant.ask.evidence.bounds import holds, quantities
from sextant.ask.evidence.force import falls, in_force
from sextant.ask.evidence.values import MEANING, NAME, REASON, values_in
from sextant.ask.reading.wants import Kind
from sextant.text.sentences import OPENERS

MEASURED = frozenset({Kind.DURATION, Kind.DATE, Kind.TIME, Kind.AMOUNT, Kind.COUNT})
_OF_TIME = frozenset({Kind.DATE, Kind.TIME})
_BONUS, _MALUS = 1.3, 0.5


def fit(wanted: Asked, one: Read) -> float:
    """Return how well a text can answer, by its form alone; 1 is neither good nor bad."""
    text = one.unit.text
    return _sort(wanted, text) * _condition(wanted, text) * _day(wanted, one)


def _sort(wanted: Asked, text: str) -> float:
    kind = wanted.part.goal.wants.kind
    if kind in MEASURED:
        return 1.2 if new_values(wanted, text) else _MALUS
    if kind == Kind.PERSON:
        return 1.1 if new_names(wanted, text) else 0.6
    if kind == Kind.REASON:
        return 1.2 if REASON.search(text) else 1.0
    if kind == Kind.DEFINITION:
        return 1.2 if MEANING.search(text) else 1.0
    return 1.0


def _condition(wanted: Asked, text: str) -> float:
    asked = quantities(wanted.part.goal.text)
    if not asked:
        return 1.0
    return {1.0: _BONUS, -1.0: _MALUS}.get(holds(text, asked), 1.0)


def _day(wanted: Asked, one: Read) -> float:
    wants = wanted.part.goal.wants
    falling = falls(one.unit.text, wants.dates)
    if falling:
        return _BONUS if falling > 0 else _MALUS
    if wants.kind in _OF_TIME or in_force(one.unit.text, one.before, wanted.day):
        return 1.0
    return _MALUS


def new_values(wanted: Asked, text: str) -> list[str]:
    """Return the values of the kind that is asked for, less those in the question."""
    kind = wanted.part.goal.wants.kind
    old = values_in(wanted.part.goal.text, kind)
    return [value for value in values_in(text, kind) if value not in old]


def new_names(wanted: Asked, text: str) -> list[str]:
    """Return the names in a text that the question does not have."""
    asked = named(wanted.part.goal.text)
    return [
        name
        for name in NAME.findall(text)
        if name.lower() not in OPENERS and named(name) not in asked
    ]
