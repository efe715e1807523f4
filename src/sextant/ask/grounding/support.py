"""Whether chunks say what a sentence says: by its words, and where that leaves doubt, by its sense.

The thresholds are measured by ``bench/grounding.py``, not felt. Knows no answer and no model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sextant.ask.grounding.agreeing import agrees
from sextant.ask.grounding.clauses import clauses_in, one_by_one, pieces_in
from sextant.ask.grounding.evidence import Piece, pieces_of
from sextant.ask.grounding.values import are_in, values_of
from sextant.ask.grounding.wording import stems_of, wording_of
from sextant.text.words import Words
from sextant.types import Passage

SURE = 0.9
"""From this share of words in its weakest part on a sentence is said."""

DOUBTFUL = 0.7
"""Below this share nothing else is asked."""

NEAR = 0.95
"""How near in sense a source must lie to the weakest part of a doubtful sentence."""

OWN = 0.3
"""This share of words must stand in the piece itself, not in titles above it."""

_REPORTED = re.compile(
    r"\s*(?:(?:according to|as (?:stated|described|noted) (?:in|by)) [^,]{1,60}, "
    r"|the (?:sources?|documents?|pages?) (?:says?|states?) that )(?=\S)",
    re.IGNORECASE,
)
_MOST = 12
"""So many pieces are looked at for one clause."""


@dataclass(frozen=True, slots=True)
class Support:
    """How much of its weakest part a sentence has from its sources, and the pieces that have it."""

    share: float
    pieces: tuple[Piece, ...] = ()
    weakest: str = ""


NONE = Support(0.0)


def is_supported(text: str, passages: Sequence[Passage], words: Words) -> bool:
    """Whether passages say a sentence by their words alone; what is doubtful is not said."""
    pieces = [piece for passage in passages for piece in pieces_of(passage, words)]
    return support(text, pieces, words).share >= SURE


def support(text: str, pieces: Sequence[Piece], words: Words) -> Support:
    """Return what pieces say of a sentence: each of its clauses is said by one of them."""
    text = _REPORTED.sub("", text)
    each = [_of_clause(clause, pieces, words) for clause in clauses_in(text, words)]
    if len(each) > 1 and min(one.share for one in each) < SURE:
        whole = _said(text, pieces, words)
        each = [whole] if whole.share >= SURE else each
    return _least(each)


def _of_clause(clause: str, pieces: Sequence[Piece], words: Words) -> Support:
    """Return what pieces say of a clause, or of each of the two that it speaks of."""
    found, parts = _said(clause, pieces, words), one_by_one(clause)
    if found.share >= SURE or len(parts) == 1:
        return found
    return _least([_said(part, pieces, words) for part in parts])


def _least(each: Sequence[Support]) -> Support:
    """Return the support of what has least of it, with the pieces of all."""
    least = min(each, key=lambda one: one.share)
    used = {piece.quote.key: piece for one in each for piece in one.pieces}
    return Support(least.share, tuple(used.values()), least.weakest) if least.share else NONE


def _said(text: str, pieces: Sequence[Piece], words: Words) -> Support:
    said, values = wording_of(text, words), values_of(text)
    parts = [(part, stems_of(part, words)) for part in pieces_in(text, words)] if said.stems else []
    best = NONE
    for piece in _likely(said.stems, pieces):
        for told in piece.told:
            read = told.stems | piece.under
            share, weakest = min((len(own & read) / len(own), part) for part, own in parts if own)
            if share <= best.share or not agrees(said, told, piece):
                continue
            if are_in(values, f"{told.text}\n{piece.unit.under}"):
                best = Support(share, (piece,), weakest)
    return best


def _likely(stems: frozenset[str], pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Yield the pieces that have most of the words, and enough of them themselves."""
    if stems:
        likely = sorted(pieces, key=lambda piece: -len(stems & piece.own))[:_MOST]
        yield from (one for one in likely if len(stems & one.own) / len(stems) >= OWN)
