"""A question in other words: each name in another of its forms. Knows names, no store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sextant.text.names import normal_name
from sextant.types import Entity, Linked

MOST = 2
_SURE = 0.7


def phrasings(
    text: str, linked: Sequence[Linked], entities: Mapping[str, Entity], most: int = MOST
) -> tuple[str, ...]:
    """Return the question with long forms and aliases for its names, if there are any."""
    spans = {one.start: one for one in reversed(linked) if one.score >= _SURE}
    others = {start: _others(one, entities.get(one.entity_id)) for start, one in spans.items()}
    told = []
    for number in range(most):
        phrasing = text
        for start in sorted(spans, reverse=True):
            if number < len(others[start]):
                phrasing = phrasing[:start] + others[start][number] + phrasing[spans[start].end :]
        told.append(phrasing)
    return tuple(dict.fromkeys(one for one in told if one != text))


def _others(one: Linked, entity: Entity | None) -> list[str]:
    """Return the other names of an entity, its own name first, then the longest."""
    if entity is None:
        return []
    names = [entity.name, *sorted(entity.aliases, key=lambda name: (-len(name), name))]
    return [name for name in names if normal_name(name) != normal_name(one.matched)]
