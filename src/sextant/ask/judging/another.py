"""Whether what is told is told of something else than what was asked about."""

from __future__ import annotations

from sextant.ask.evidence.asked import Part
from sextant.ask.evidence.read import content, named
from sextant.ask.judging.signs import SURE, Case, forms_of, over
from sextant.ask.reading.wants import Kind

_RELATED = frozenset({Kind.PERSON, Kind.NAME, Kind.LIST, Kind.ANYTHING})
"""Sorts of answers that are the other end of a relation."""

_BESIDES = 2
"""So many words may say more of the relation; more of them lead to another thing first."""


def is_of_another(case: Case) -> bool:
    """Whether one relation of one thing is asked for, and what comes first is not about the thing.

    Where the graph has the relation, or several are asked for in a row, that is no sign.
    """
    part = case.parts[0] if len(case.parts) == 1 else None
    if part is None or not case.claims:
        return False
    wants = part.goal.wants
    if len(wants.cues) != 1 or wants.kind not in _RELATED:
        return False
    names = forms_of(part, [one for one in part.linked if one.score >= SURE])
    first = case.claims[0]
    if not names or first.relations or len(_besides(case, part)) > _BESIDES:
        return False
    told = named(" ".join([first.text, *over(first)]))
    return not any(form in told for own in names for form in own)


def _besides(case: Case, part: Part) -> frozenset[str]:
    """Return what a question speaks of besides names and the relation; a way to it, if much."""
    text = part.goal.text
    for one in sorted(part.linked, key=lambda one: -one.start):
        text = f"{text[: one.start]} {text[one.end :]}"
    cued = case.words.terms(" ".join(cue.word for cue in part.goal.wants.cues))
    return frozenset(content(case.words, text)).difference(cued)
