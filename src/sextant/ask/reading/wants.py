"""What a clause asks for: the sort of answer, the relations to follow, the words to speak of."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from sextant.ask.reading.asking import asking_of
from sextant.ask.reading.comparisons import comparison_in
from sextant.ask.reading.courtesies import after_courtesies
from sextant.ask.reading.cues import cues_of
from sextant.ask.reading.dates import Period, periods_in
from sextant.ask.reading.kinds import Kind, kind_of
from sextant.ask.reading.tokens import content_words, tokens_of
from sextant.types import Cue

__all__ = ["Kind", "Wants", "wants_of"]


@dataclass(frozen=True, slots=True)
class Wants:
    """What a clause wants. ``noun`` is what is asked for by name, as in ``which extension``."""

    kind: Kind = Kind.ANYTHING
    cues: tuple[Cue, ...] = ()
    focus: tuple[str, ...] = ()
    noun: str = ""
    dates: tuple[Period, ...] = ()


def wants_of(clause: str, today: date | None = None) -> Wants:
    """Read what a clause asks for."""
    tokens = after_courtesies(tokens_of(clause))
    asking = asking_of(tokens)
    return Wants(
        Kind.COMPARISON if comparison_in(clause) else kind_of(asking),
        cues_of(tokens),
        content_words(tokens),
        asking.noun,
        periods_in(clause, today),
    )
