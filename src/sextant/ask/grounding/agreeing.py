"""Whether a clause is about the same as a source, said the same way round and no stronger.

Few rules for all: the same subject, the same order, the same hedges, the same denials.
"""

from __future__ import annotations

from collections.abc import Sequence

from sextant.ask.grounding.evidence import Piece
from sextant.ask.grounding.marks import WEAKER_WITHOUT, are_opposed
from sextant.ask.grounding.subjects import is_pronominal
from sextant.ask.grounding.wording import Wording


def agrees(said: Wording, told: Wording, piece: Piece) -> bool:
    """Whether nothing in a clause speaks against its being what a piece tells."""
    return (
        _is_about(said, told)
        and _does_it(said, told)
        and _is_as_sure(said, told)
        and not contradicts(said, told)
        and (_keeps_cells(said, piece) if piece.cells else is_in_order(said, told, piece.under))
    )


def contradicts(said: Wording, told: Wording) -> bool:
    """Whether two texts that speak of the same differ in what they deny, oppose, or lead to."""
    shared = said.stems & told.stems
    if shared & (said.denied ^ told.denied) or said.denials != told.denials:
        return True
    turned = any(told.led.get(stem, way) != way for stem, way in said.led.items())
    return turned or are_opposed(said.small, told.small)


def is_in_order(said: Wording, told: Wording, under: frozenset[str]) -> bool:
    """Whether the words that two texts share come in one order, or turned as a passive turns them.

    Whoever is named as doing it in one must not have it done to them in the other.
    """
    free = under - frozenset(told.order)
    doing = _is_within(said.doing, told.doing, free)
    if bool(said.agent) == bool(told.agent) or not told.agent & frozenset(said.order):
        return doing or (not (said.agent and not told.agent) and _follows(said, told, free))
    return doing


def _follows(said: Wording, told: Wording, free: frozenset[str]) -> bool:
    return _is_within(said.order, told.order, free)


def _is_within(mine: Sequence[str], theirs: Sequence[str], free: frozenset[str]) -> bool:
    """Whether shared words come in their order; a number is not taken to what another one has."""
    known = frozenset(theirs)
    wanted = [one for one in dict.fromkeys(mine) if one in known and one not in free]
    at, numbered = 0, False
    for one in wanted:
        try:
            found = theirs.index(one, at)
        except ValueError:
            return False
        if numbered and any(_is_number(gap) and gap not in mine for gap in theirs[at:found]):
            return False
        at, numbered = found + 1, numbered or _is_number(one)
    return True


def _is_number(stem: str) -> bool:
    return stem[:1].isdigit()


def _is_about(said: Wording, told: Wording) -> bool:
    """Whether a clause has the subject of what is told, or speaks of what stood before it."""
    return is_pronominal(said.text) or all(not need.isdisjoint(said.order) for need in told.needs)


def _does_it(said: Wording, told: Wording) -> bool:
    """Whether a clause does not make what something does into what it is; no question tells."""
    if told.text.endswith("?") and not said.text.endswith("?"):
        return False
    return bool(said.verb) or told.verb <= said.stems or not said.stems <= told.stems


def _is_as_sure(said: Wording, told: Wording) -> bool:
    """Whether hedges, conditions and quantities are the same, but for what may be left out."""
    return not (said.marks - told.marks) and told.marks - said.marks <= WEAKER_WITHOUT


def _keeps_cells(said: Wording, piece: Piece) -> bool:
    """Whether what a clause calls by the head of a column has the value that stands there."""
    return all(
        head.isdisjoint(said.stems) or not value.isdisjoint(said.stems) or not value
        for head, value in piece.cells
    )
