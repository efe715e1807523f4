"""Small knowledge for tests: passages, hits and questions in one line each."""

from datetime import UTC, datetime

from sextant.ask.answer import claims_of
from sextant.ask.evidence.asked import Part
from sextant.ask.evidence.claim import Claim
from sextant.ask.evidence.read import Reader
from sextant.ask.plan import WHOLE, Goal
from sextant.ask.reading.wants import wants_of
from sextant.retrieval.expand import Expansion
from sextant.text.words import Words
from sextant.types import (
    Chunk,
    Document,
    Entity,
    Hit,
    Legs,
    Linked,
    Passage,
    Relation,
    Scores,
)

NOW = datetime(2026, 10, 31, tzinfo=UTC)
WORDS = Words()


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def passage(
    name: str,
    text: str,
    title: str = "",
    *,
    start: int = 0,
    headings: tuple[str, ...] = (),
    entity_ids: tuple[str, ...] = (),
    **fields: object,
) -> Passage:
    document = Document(name, title=title or name, **fields)  # type: ignore[arg-type]
    chunk = Chunk(f"{name}#c0", text, start, start + len(text), headings, None, entity_ids)
    return Passage(chunk, document, "v1")


def hit(one: Passage, total: float = 0.9) -> Hit:
    return Hit(one, Scores(total, 0.5, 0.5, 0.5, total), Legs(total, total))


def hits(*passages: Passage) -> list[Hit]:
    return [hit(one, 0.95 - 0.01 * at) for at, one in enumerate(passages)]


def goal(text: str, name: str = WHOLE) -> Goal:
    return Goal(text, name, None, wants_of(text, NOW.date()))


def linked(text: str, *names: str) -> tuple[Linked, ...]:
    found = [(name, text.index(name)) for name in names]
    return tuple(
        Linked(slug(name), name, name, at, at + len(name), 1.0, "exact") for name, at in found
    )


def slug(name: str) -> str:
    return name.lower().replace(" ", "-")


def part(text: str, *names: str, expansion: Expansion | None = None, name: str = WHOLE) -> Part:
    return Part(goal(text, name), linked(text, *names), expansion or Expansion())


def said(text: str, *passages: Passage, names: tuple[str, ...] = ()) -> list[str]:
    """Return what is answered to a question of one part."""
    return [claim.text for claim in claims(text, *passages, names=names)]


def claims(text: str, *passages: Passage, names: tuple[str, ...] = ()) -> tuple[Claim, ...]:
    return claims_of([part(text, *names)], hits(*passages), NOW, Reader(WORDS))


def entities(*names: str) -> dict[str, Entity]:
    return {slug(name): Entity(slug(name), name) for name in names}


def edge(source: str, kind: str, target: str, *evidence: str, sure: float = 1.0) -> Relation:
    return Relation(slug(source), slug(target), kind, sure, 1.0, evidence)
