"""Small knowledge for tests: passages and hits in one line each, and how they score."""

from collections.abc import Sequence
from datetime import date

from sextant.ask.piece_odds import PieceOdds
from sextant.ask.score import Readings, Scored, score_passages
from sextant.text.prose.units import units_of
from sextant.text.words import Words
from sextant.types import Chunk, Document, Hit, Legs, Passage, Scores

WORDS = Words()
TODAY = date(2026, 10, 31)


def passage(
    name: str,
    text: str,
    title: str = "",
    *,
    start: int = 0,
    number: int = 0,
    headings: tuple[str, ...] = (),
    **fields: object,
) -> Passage:
    document = Document(name, title=title or name, **fields)  # type: ignore[arg-type]
    chunk = Chunk(f"{name}#c{number}", text, start, start + len(text), headings)
    return Passage(chunk, document, "v1")


def hit(one: Passage, total: float = 0.9) -> Hit:
    return Hit(one, Scores(total, 0.5, 0.5, 0.5, total), Legs(total, total))


def hits(*passages: Passage) -> tuple[Hit, ...]:
    return tuple(hit(one, 0.95 - 0.01 * at) for at, one in enumerate(passages))


def odds(one: Passage, *values: float) -> PieceOdds:
    """Return odds of the pieces of a passage in their order."""
    units = zip(units_of(one), values, strict=True)
    return {(one.chunk.id, unit.start, unit.end): value for unit, value in units}


def scored(
    parts: Sequence[str],
    found: Sequence[Hit],
    known: PieceOdds | None = None,
    readings: Readings | None = None,
) -> list[tuple[Scored, ...]]:
    readings = readings or Readings(WORDS)
    return [score_passages(text, found, known or {}, readings, TODAY) for text in parts]
