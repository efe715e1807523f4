"""Two sources that give one thing two values: which of them holds. Knows dates and worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from sextant.ask.evidence.asked import Asked, Read
from sextant.ask.evidence.marking.fit import MEASURED, new_values
from sextant.ask.evidence.marking.score import Mark
from sextant.ask.evidence.wording.force import begins, replaced
from sextant.ask.evidence.wording.values import dimension, values_in

_LOOKED_AT = 12
_CLOSE = 0.5


@dataclass(frozen=True, slots=True)
class _Word:
    """What a piece says: the values that hold, those it calls past, and since when."""

    read: Read
    holding: frozenset[str]
    past: frozenset[str]
    matter: frozenset[str]
    starts: date | None

    @property
    def dimensions(self) -> frozenset[str]:
        """What its values are measured in."""
        return frozenset(dimension(value) for value in self.holding)


def settled(wanted: Asked, marks: Sequence[Mark]) -> list[Mark]:
    """Leave out each value that another one took the place of."""
    if wanted.part.goal.wants.kind not in MEASURED or len(marks) < 2:
        return list(marks)
    close = [mark for mark in marks[:_LOOKED_AT] if mark.score >= marks[0].score * _CLOSE]
    said = [_word(wanted, mark.read) for mark in close]
    outdated = {
        id(old.read)
        for old in said
        for new in said
        if old is not new and _replaces(new, old, wanted.day)
    }
    return [mark for mark in marks if id(mark.read) not in outdated]


def _word(wanted: Asked, one: Read) -> _Word:
    text, kind = one.unit.text, wanted.part.goal.wants.kind
    past = frozenset(values_in(replaced(text), kind))
    matter = frozenset(term for term in wanted.terms if term in one.terms or term in one.around)
    return _Word(one, frozenset(new_values(wanted, text)) - past, past, matter, begins(text))


def _replaces(new: _Word, old: _Word, day: date) -> bool:
    """Whether a newer text of no less worth gives a value of the same sort, and not the same."""
    if not new.holding or not old.holding or new.holding & old.holding:
        return False
    if old.holding <= new.past:
        return True
    if not new.dimensions & old.dimensions or new.read.worth < old.read.worth:
        return False
    if len(new.matter & old.matter) * 2 < len(old.matter):
        return False
    return new.starts is not None and _changed(old) < new.starts <= day


def _changed(one: _Word) -> date:
    document = one.read.unit.passage.document
    moment: datetime | None = document.modified or document.created
    return one.starts or (moment.astimezone(UTC).date() if moment else date.min)
