"""Small knowledge for tests: passages, hits and questions in one line each."""

from datetime import UTC, datetime

from sextant.ask.quotes import Quote
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


def quote(one: Passage, text: str = "") -> Quote:
    start = one.chunk.text.index(text) if text else 0
    return Quote(one, start, start + len(text) if text else len(one.chunk.text))


def linked(text: str, *names: str) -> tuple[Linked, ...]:
    found = [(name, text.index(name)) for name in names]
    return tuple(
        Linked(slug(name), name, name, at, at + len(name), 1.0, "exact") for name, at in found
    )


def slug(name: str) -> str:
    return name.lower().replace(" ", "-")


def entities(*names: str) -> dict[str, Entity]:
    return {slug(name): Entity(slug(name), name) for name in names}


def edge(source: str, kind: str, target: str, *evidence: str, sure: float = 1.0) -> Relation:
    return Relation(slug(source), slug(target), kind, sure, 1.0, evidence)
