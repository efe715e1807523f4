"""Whether what is told is told of something else than what was asked about."""

from __future__ import annotations

from sextant.ask.evidence.asked import named
from sextant.ask.judging.signs import SURE, Case, forms_of, over
from sextant.ask.reading.wants import Kind

_RELATED = frozenset({Kind.PERSON, Kind.NAME, Kind.LIST, Kind.ANYTHING})
"""Sorts of answers that are the other end of a relation."""

_FIRST = 2


def is_of_another(case: Case) -> bool:
    """Whether one relation of one thing is asked for, and what comes first is not about it.

    Where the graph has the relation, or several are asked for in a row, that is no sign.
    """
    part = case.parts[0] if len(case.parts) == 1 else None
    if part is None or not case.claims:
        return False
    wants = part.goal.wants
    if len(wants.cues) != 1 or wants.kind not in _RELATED:
        return False
    names = forms_of(part, [one for one in part.linked if one.score >= SURE])
    if not names or case.claims[0].relations:
        return False
    first = case.claims[:_FIRST]
    told = named(" ".join(text for claim in first for text in (claim.text, *over(claim))))
    return not any(form in told for own in names for form in own)
