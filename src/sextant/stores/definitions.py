"""What an entity is when several documents define it. The same whatever order they came in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sextant.types import Definition, Entity


def combine(definitions: Iterable[Definition]) -> Entity:
    """Let the most reputable document, then the first by id, name it; other names are aliases."""
    ranked = sorted(definitions, key=lambda one: (-one.reputation, one.document_id))
    first = ranked[0].entity
    metadata: dict[str, str] = {}
    for definition in reversed(ranked):
        metadata |= definition.entity.metadata
    spellings = {spelling for one in ranked for spelling in (one.entity.name, *one.entity.aliases)}
    return Entity(
        first.id,
        first.name,
        next((one.entity.type for one in ranked if one.entity.type), ""),
        frozenset(spellings - {first.name}),
        dict(sorted(metadata.items())),
    )


def has_any(metadata: Mapping[str, str], values: Mapping[str, frozenset[str]]) -> bool:
    """Whether one of these fields is there and has one of its values."""
    return any(metadata.get(name) in those for name, those in values.items())
