"""Whether chunks say what a sentence says: by its words, and where that leaves doubt, by its sense.

The thresholds are measured by ``bench/grounding.py``, not felt. Knows no answer and no model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sextant.ask.grounding.clauses import clauses_in, pieces_in
from sextant.ask.grounding.evidence import Piece, leans, pieces_of
from sextant.ask.grounding.values import are_in, values_of
from sextant.ask.grounding.wording import (
    Wording,
    contradicts,
    is_renamed,
    is_turned,
    stems_of,
    wording_of,
)
from sextant.text.words import Words
from sextant.types import Passage

SURE = 0.9
"""From this share of words in its weakest part on a sentence is said."""

DOUBTFUL = 0.6
"""Below this share nothing else is asked."""

NEAR = 0.95
"""How near in sense a source must lie to the weakest part of a doubtful sentence."""

OWN = 0.3
"""This share of words must stand in the piece itself, not in titles above it."""

TOGETHER = 0.5
"""This share of the words each of several sources must have that say a sentence together."""

_MOST = 3


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
    """Return what pieces say of a sentence: one of them, one of each source, or one per clause."""
    found = _said(text, pieces, words)
    clauses = clauses_in(text, words) if found.share < 1.0 else ()
    if len(clauses) > 1:
        each = [_said(clause, pieces, words) for clause in clauses]
        least = min(each, key=lambda one: one.share)
        if least.share > found.share:
            used = {piece.quote.key: piece for one in each for piece in one.pieces}
            return Support(least.share, tuple(used.values()), least.weakest)
    return found


def _said(text: str, pieces: Sequence[Piece], words: Words) -> Support:
    said, values = wording_of(text, words), values_of(text)
    parts = [(part, stems_of(part, words)) for part in pieces_in(text, words)] if said.stems else []
    best = NONE
    for chosen in _choices(said, pieces):
        read = frozenset[str]().union(*(piece.read.stems for piece in chosen))
        share, weakest = min((len(own & read) / len(own), part) for part, own in parts if own)
        if share <= best.share or any(_opposes(said, piece) for piece in chosen):
            continue
        if are_in(values, "\n".join(piece.read.text for piece in chosen)):
            best = Support(share, chosen, weakest)
    return best


def _opposes(said: Wording, piece: Piece) -> bool:
    whole = piece.read if piece.leans else piece.own
    renamed = is_renamed(said, piece.own) and (leans(said.text) or not piece.leans)
    return renamed or contradicts(said, piece.own) or is_turned(said, whole)


def _choices(said: Wording, pieces: Sequence[Piece]) -> Iterator[tuple[Piece, ...]]:
    """Yield the pieces that may say it, and those of several sources that each say much of it."""
    if not said.stems:
        return
    own = {piece.quote.key: len(said.stems & piece.own.stems) / len(said.stems) for piece in pieces}
    likely = sorted(pieces, key=lambda piece: -len(said.stems & piece.read.stems))
    yield from ((piece,) for piece in likely if own[piece.quote.key] >= OWN)
    best_of: dict[str, Piece] = {}
    for piece in likely:
        if own[piece.quote.key] >= TOGETHER:
            best_of.setdefault(piece.unit.passage.chunk.id, piece)
    several = tuple(best_of.values())[:_MOST]
    yield from (several[:size] for size in range(2, len(several) + 1))
