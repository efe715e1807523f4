"""What several doors tell of entities: one with its relations, and what lies round some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from sextant.serve.wire.knowledge import entity_of, relations_of
from sextant.types import Entity, Neighbourhood, Relation, Scope, Walk


class Graph(Protocol):
    """What is asked of the core."""

    async def entities(self, scope: Scope, entity_ids: Sequence[str]) -> Mapping[str, Entity]:
        """Return the entities that exist."""

    async def expand(self, scope: Scope, entity_ids: Sequence[str], walk: Walk) -> Neighbourhood:
        """Follow edges."""

    async def sentences(self, scope: Scope, relations: Sequence[Relation]) -> Sequence[str]:
        """Return the sentence that says each relation."""


async def entity_page(graph: Graph, scope: Scope, entity: Entity, limit: int) -> dict[str, Any]:
    """Return an entity and its strongest relations as plain values."""
    around = await graph.expand(scope, [entity.id], Walk(limit=limit))
    relations = [link.relation for link in around.links]
    said = await graph.sentences(scope, relations)
    return {**entity_of(entity), "relations": relations_of(relations, said)}


async def expanded(graph: Graph, scope: Scope, seeds: Sequence[str], walk: Walk) -> dict[str, Any]:
    """Return what lies round some entities as plain values, these first."""
    around = await graph.expand(scope, seeds, walk)
    relations = [link.relation for link in around.links]
    said = await graph.sentences(scope, relations)
    ends = [end for one in relations for end in (one.source, one.target)]
    names = list(dict.fromkeys([*seeds, *ends]))
    found = await graph.entities(scope, names)
    rows = relations_of(relations, said)
    return {
        "entities": [entity_of(found[name]) for name in names if name in found],
        "relations": [
            {**row, "hop": link.hop} for row, link in zip(rows, around.links, strict=True)
        ],
        "capped": list(around.capped),
        "truncated": around.truncated,
    }
