"""Two sources that give one thing two values: which of them holds. Knows dates and worth."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from sextant.ask.evidence.asked import Asked
from sextant.ask.evidence.marking.fit import MEASURED, OF_TIME, new_values
from sextant.ask.evidence.marking.score import Mark
from sextant.ask.evidence.read import Read
from sextant.ask.evidence.wording.force import (
    begins,
    falls,
    is_of_its_days,
    is_of_some_days,
    replaced,
)
from sextant.ask.evidence.wording.values import dimension, values_in
from sextant.ask.reading.dates import Period

_LOOKED_AT = 12
_ROWS = frozenset({"row", "record"})
_CLOSE = 0.5
_WEEK = 7
_OPEN = re.compile(r"\b(?:since|after|before|until|till|by|from|between)\b", re.IGNORECASE)


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
    """Leave out each value that another one took the place of, and each row of another day."""
    marks = _of_the_day(wanted, marks)
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


def _of_the_day(wanted: Asked, marks: Sequence[Mark]) -> Sequence[Mark]:
    """Leave out the rows of a table that fall on other days than some of it that falls on them.

    Who asks for no day means today, where each row is for a week or for days from one to another.
    Who asks for a day or a week is not told what is said of another one, even if nothing is said of
    that.
    """
    if wanted.part.goal.wants.kind in OF_TIME:
        return marks
    said = {id(mark): _falls(wanted, mark.read) for mark in marks}
    told = {mark.read.unit.passage.document.id for mark in marks if said[id(mark)] > 0}
    exact = _asks_for_days(wanted)

    def holds(mark: Mark) -> bool:
        unit = mark.read.unit
        if said[id(mark)] >= 0:
            return True
        return unit.passage.document.id not in told and not (exact and is_of_its_days(unit.text))

    return list(filter(holds, marks))


def _asks_for_days(wanted: Asked) -> bool:
    """Whether a part asks for a day or a week, and not for what was before or is behind it."""
    goal = wanted.part.goal
    short = [(one.end - one.start).days <= _WEEK for one in goal.wants.dates]
    return bool(short) and all(short) and not _OPEN.search(goal.text)


def _falls(wanted: Asked, one: Read) -> float:
    if one.unit.layout not in _ROWS:
        return 0.0
    asked, text = wanted.part.goal.wants.dates, one.unit.text
    if not asked and is_of_some_days(text):
        asked = (Period(wanted.day, wanted.day + timedelta(days=1), "", 0, 0),)
    return falls(text, asked)


def _word(wanted: Asked, one: Read) -> _Word:
    text, kind = one.unit.text, wanted.part.goal.wants.kind
    past = frozenset(values_in(replaced(text), kind))
    matter = frozenset(term for term in wanted.terms if term in one.terms or term in one.around)
    return _Word(one, frozenset(new_values(wanted, text)) - past, past, matter, begins(text))


def _replaces(new: _Word, old: _Word, day: date) -> bool:
    """Whether a newer text of no less worth gives a value of the same sort, and not the same."""
    if not new.holding or not old.holding or new.holding & old.holding:
        return False
    if new.read.unit.passage.document.reputation < old.read.unit.passage.document.reputation:
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
