"""Whether a piece of text can be the sort of answer that is asked for. Knows no source."""

from __future__ import annotations

import re

from sextant.ask.evidence.asked import Asked
from sextant.ask.evidence.read import Read, named
from sextant.ask.evidence.subject import points_elsewhere
from sextant.ask.evidence.wording.bounds import holds
from sextant.ask.evidence.wording.force import falls, in_force
from sextant.ask.evidence.wording.values import names_in, values_in
from sextant.ask.reading.wants import Kind

MEASURED = frozenset({Kind.DURATION, Kind.DATE, Kind.TIME, Kind.AMOUNT, Kind.COUNT})
OF_TIME = frozenset({Kind.DATE, Kind.TIME})
_BONUS, _MALUS, _NOT_NOW = 1.4, 0.5, 0.35
_STRESS = 1.5
_TELLING = 6
"""A sentence of so many words tells something."""


def fit(wanted: Asked, one: Read) -> float:
    """Return how well a text can answer, by its form alone; 1 is neither good nor bad."""
    mark = (
        float(_sort(wanted, one) ** _STRESS) * _condition(wanted, one.unit.text) * _day(wanted, one)
    )
    noun = wanted.part.goal.wants.noun
    if points_elsewhere(one.unit):
        mark *= _MALUS
    return mark * _BONUS if noun and noun in one.sorts else mark


def _sort(wanted: Asked, one: Read) -> float:
    kind, text = wanted.part.goal.wants.kind, one.unit.text
    if kind in MEASURED:
        return _measured(wanted, text)
    if kind == Kind.PLACE:
        return 1.2 if new_values(wanted, text) else 0.6
    if kind == Kind.PERSON:
        return 1.1 if new_names(wanted, text) else 0.6
    return 0.7 + 0.3 * min(1.0, len(one.terms) / _TELLING)


def _measured(wanted: Asked, text: str) -> float:
    """Return how far a text gives a value, best beside the word for it: ``a score of 82``."""
    if not new_values(wanted, text):
        return _MALUS
    noun = re.escape(wanted.part.goal.wants.noun.removesuffix("s"))
    gap = r"\W{1,3}"
    before = rf"\b{noun}s?\b(?:{gap}[a-z]+){{0,2}}{gap}\d"
    beside = rf"{before}|\d[\w.,%]{{0,20}}(?:{gap}[a-z]+)?{gap}{noun}s?\b"
    return _BONUS if noun and re.search(beside, text, re.IGNORECASE) else 1.2


def _condition(wanted: Asked, text: str) -> float:
    if not wanted.quantities:
        return 1.0
    return {1.0: _BONUS, -1.0: _MALUS}.get(holds(text, wanted.quantities), 1.0)


def _day(wanted: Asked, one: Read) -> float:
    wants = wanted.part.goal.wants
    if wants.kind in OF_TIME:
        return 1.0
    if falls(one.unit.text, wants.dates) < 0:
        return _MALUS
    return 1.0 if in_force(one.unit.text, one.before, wanted.day) else _NOT_NOW


def new_values(wanted: Asked, text: str) -> list[str]:
    """Return the values of the kind that is asked for, less those in the question."""
    found = values_in(text, wanted.part.goal.wants.kind)
    return [value for value in found if value not in wanted.values]


def new_names(wanted: Asked, text: str) -> list[str]:
    """Return the names in a text that the question does not have."""
    return [name for name in names_in(text) if named(name) not in wanted.spelt]
