"""What every door's replies are decoded to, so that they can be compared. Knows no door."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Plain = Mapping[str, Any]


@dataclass(frozen=True)
class Cited:
    """A source."""

    chunk_id: str
    document_id: str
    label: str
    title: str
    url: str
    quote: str
    start: int
    end: int
    version: str


@dataclass(frozen=True)
class Trail:
    """The way to something, without how long it took."""

    day: str
    commit: int
    steps: tuple[tuple[str, str, Plain], ...]


@dataclass(frozen=True)
class Answered:
    """An answer and what it rests on."""

    question: str
    text: str
    citations: tuple[Cited, ...]
    sufficient: bool
    confidence: float
    missing: tuple[str, ...]
    linked: tuple[str, ...]
    expanded: tuple[str, ...]
    filter: str
    locale: str
    trail: Trail
    digest: str


@dataclass(frozen=True)
class Ranked:
    """A passage in its place."""

    chunk_id: str
    document_id: str
    score: float
    scores: tuple[float, float, float, float]
    title: str
    url: str
    source_type: str
    snippet: str


@dataclass(frozen=True)
class Found:
    """What a search found, best first, and how."""

    results: tuple[Ranked, ...]
    trail: Trail


@dataclass(frozen=True)
class Related:
    """An edge, and what says it."""

    source: str
    target: str
    kind: str
    confidence: float
    weight: float
    support: int
    evidence: tuple[str, ...]
    sentence: str
    hop: int = 1


@dataclass(frozen=True)
class Known:
    """An entity, what is said of it, and whom else its name may mean."""

    id: str
    name: str
    type: str
    aliases: tuple[str, ...]
    relations: tuple[Related, ...]
    others: tuple[tuple[str, str, float], ...]


@dataclass(frozen=True)
class Around:
    """What lies round some entities."""

    entity_ids: tuple[str, ...]
    relations: tuple[Related, ...]
    capped: tuple[str, ...]
    truncated: bool


@dataclass(frozen=True)
class Refused:
    """Why something was not done, and what to do."""

    said: str


Reply = Answered | Found | Known | Around | Refused


def cited(told: Plain) -> Cited:
    """Read a citation as JSON has it."""
    return Cited(
        told["chunkId"],
        told["documentId"],
        told["label"],
        told["title"],
        told["url"],
        told["quote"],
        told["start"],
        told["end"],
        told["version"],
    )


def trail(day: str, commit: int, steps: Iterable[tuple[str, str, Plain]]) -> Trail:
    """Return a way to something."""
    return Trail(day, commit, tuple(steps))


def told_trail(told: Plain) -> Trail:
    """Read the way of a search as its debug information has it: each step with its facts in it."""
    own = ("step", "fallback")
    return trail(
        told["now"],
        told["commit"],
        (
            (
                step["step"],
                step.get("fallback", ""),
                {name: value for name, value in step.items() if name not in own},
            )
            for step in told["steps"]
        ),
    )


def as_json(value: object) -> Any:
    """Return values as they are after a way through JSON."""
    return json.loads(json.dumps(value))


def answered(told: Plain) -> Answered:
    """Read an answer as JSON has it."""
    way = told["trace"]
    return Answered(
        told["question"],
        told["answer"],
        tuple(map(cited, told["citations"])),
        told["sufficient"],
        told["confidence"],
        tuple(told["missing"]),
        tuple(way["linkedEntities"]),
        tuple(way["expandedEntityIds"]),
        way["searchFilter"],
        way["locale"],
        trail(
            way["now"],
            way["commit"],
            ((one["name"], one["fallback"], one["facts"]) for one in way["steps"]),
        ),
        told["answerId"],
    )


def related(told: Plain) -> Related:
    """Read a relation as JSON has it."""
    return Related(
        told["source"],
        told["target"],
        told["kind"],
        told["confidence"],
        told["weight"],
        told["support"],
        tuple(told["evidenceChunkIds"]),
        told["sentence"],
        told.get("hop", 1),
    )


def known(told: Plain, others: Iterable[Plain]) -> Known:
    """Read an entity as JSON has it."""
    return Known(
        told["id"],
        told["name"],
        told["type"],
        tuple(told["aliases"]),
        tuple(map(related, told["relations"])),
        tuple((one["id"], one["matched"], one["score"]) for one in others),
    )


def around(told: Plain) -> Around:
    """Read a neighbourhood as JSON has it."""
    return Around(
        tuple(one["id"] for one in told["entities"]),
        tuple(map(related, told["relations"])),
        tuple(told["capped"]),
        told["truncated"],
    )
