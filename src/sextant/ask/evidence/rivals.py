"""Two sources that give one thing two values: which of them holds. Knows dates and worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime

from sextant.ask.evidence.asked import Asked, Read
from sextant.ask.evidence.fit import MEASURED, new_values
from sextant.ask.evidence.force import begins, replaced
from sextant.ask.evidence.score import Mark, ordered
from sextant.ask.evidence.values import dimension, values_in

_LOOKED_AT = 12
_CLOSE = 0.5
_OUTDATED = 0.4
_EARLIEST = date.min


def settled(wanted: Asked, marks: Sequence[Mark]) -> list[Mark]:
    """Let each value step back behind the one that took its place."""
    kind = wanted.part.goal.wants.kind
    if kind not in MEASURED or len(marks) < 2:
        return list(marks)
    top = [mark for mark in marks[:_LOOKED_AT] if mark.score >= marks[0].score * _CLOSE]
    outdated = {
        id(old.read)
        for old in top
        for new in top
        if old is not new and _replaces(wanted, new.read, old.read)
    }
    return ordered(
        replace(mark, score=mark.score * _OUTDATED) if id(mark.read) in outdated else mark
        for mark in marks
    )


def _replaces(wanted: Asked, new: Read, old: Read) -> bool:
    """Whether a newer text of no less worth gives a value of the same sort, and not the same."""
    ours, theirs = new_values(wanted, new.unit.text), new_values(wanted, old.unit.text)
    if not ours or not theirs or set(theirs) & _own(wanted, new, ours):
        return False
    if set(theirs) <= set(values_in(replaced(new.unit.text), wanted.part.goal.wants.kind)):
        return True
    alike = {dimension(value) for value in ours} & {dimension(value) for value in theirs}
    if not alike or new.worth < old.worth or not _same_matter(wanted, new, old):
        return False
    start = begins(new.unit.text)
    return start is not None and _changed(old) < start <= wanted.day


def _own(wanted: Asked, one: Read, values: Sequence[str]) -> set[str]:
    """Return the values that a text stands for, without those that it calls past."""
    past = values_in(replaced(one.unit.text), wanted.part.goal.wants.kind)
    return set(values) - set(past)


def _same_matter(wanted: Asked, one: Read, other: Read) -> bool:
    """Whether two texts speak of the same words of the question."""
    ours = {term for term in wanted.terms if term in one.terms or term in one.around}
    theirs = {term for term in wanted.terms if term in other.terms or term in other.around}
    return len(ours & theirs) * 2 >= len(theirs)


def _changed(one: Read) -> date:
    start = begins(one.unit.text)
    document = one.unit.passage.document
    moment: datetime | None = document.modified or document.created
    return start or (moment.astimezone(UTC).date() if moment else _EARLIEST)
