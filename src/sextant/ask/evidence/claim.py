"""What an answer may say: a text, the words of sources that say it, and the edges behind it."""

from __future__ import annotations

from dataclasses import dataclass

from sextant.ask.quotes import Quote
from sextant.types import Relation


@dataclass(frozen=True, slots=True)
class Claim:
    """A part of an answer, the part of the question it belongs to, and what it rests on.

    ``otherwise`` is what another source says instead. A block is a run of a page in Markdown under
    its headings; the span that is marked in its text answers the question.
    """

    text: str
    quotes: tuple[Quote, ...]
    relations: tuple[Relation, ...] = ()
    part: int = 0
    score: float = 0.0
    otherwise: Claim | None = None
    is_block: bool = False
    headings: tuple[str, ...] = ()
    marked: tuple[int, ...] = ()
