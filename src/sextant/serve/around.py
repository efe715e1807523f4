"""What several doors tell of entities: one with its relations, and what lies round some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from sextant.errors import NotFound
from sextant.serve.wire.knowledge import entity_of, relations_of
from sextant.types import DOCUMENT_NODE, Entity, NameMatch, Neighbourhood, Relation, Scope, Walk


class Graph(Protocol):
    """What is asked of the core."""

    async def entities(self, scope: Scope, entity_ids: Sequence[str]) -> Mapping[str, Entity]:
        """Return the entities that exist."""

    async def expand(self, scope: Scope, entity_ids: Sequence[str], walk: Walk) -> Neighbourhood:
        """Follow edges."""

    async def sentences(self, scope: Scope, relations: Sequence[Relation]) -> Sequence[str]:
        """Return the sentence that says each relation."""

    async def identified(self, scope: Scope, relations: Sequence[Relation]) -> Sequence[Relation]:
        """Return relations under the ids that their sources gave them, where one did."""


class NamedGraph(Graph, Protocol):
    """A graph in which things are found by name, too."""

    async def find(self, scope: Scope, name: str, limit: int = 10) -> Sequence[NameMatch]:
        """Return who is called so, or nearly so."""


async def entity_page(graph: Graph, scope: Scope, entity: Entity, limit: int) -> dict[str, Any]:
    """Return an entity and its strongest relations as plain values."""
    around = await graph.expand(scope, [entity.id], Walk(limit=limit))
    relations = await graph.identified(scope, [link.relation for link in around.links])
    said = await graph.sentences(scope, relations)
    return {**entity_of(entity), "relations": relations_of(relations, said)}


async def expanded(
    graph: NamedGraph, scope: Scope, names: Sequence[str], walk: Walk, hint: str
) -> dict[str, Any]:
    """Return what lies round some entities, given by ids or names, as plain values, these first."""
    meant = await _meant(graph, scope, names)
    seeds = list(dict.fromkeys(filter(None, meant.values())))
    around = await graph.expand(scope, seeds, walk)
    relations = await graph.identified(scope, [link.relation for link in around.links])
    said = await graph.sentences(scope, relations)
    ends = [end for one in relations for end in (one.source, one.target)]
    found = await graph.entities(scope, list(dict.fromkeys([*seeds, *ends])))
    unknown = [name for name, own in meant.items() if own not in found and own not in ends]
    if len(unknown) == len(meant):
        raise NotFound(f"There is no entity {unknown[0][:80]!r}.", hint)
    rows = relations_of(relations, said)
    return {
        "entities": [
            entity_of(found[one]) for one in dict.fromkeys([*seeds, *ends]) if one in found
        ],
        "relations": [
            {**row, "hop": link.hop} for row, link in zip(rows, around.links, strict=True)
        ],
        "capped": list(around.capped),
        "truncated": around.truncated,
        "unknown": unknown,
    }


async def _meant(graph: NamedGraph, scope: Scope, names: Sequence[str]) -> dict[str, str]:
    """Return the ids of who is meant by ids or names; nothing where nobody is."""
    known = await graph.entities(scope, names)
    meant: dict[str, str] = {}
    for name in dict.fromkeys(names):
        if name in known or name.startswith(DOCUMENT_NODE):
            meant[name] = name
        else:
            matches = await graph.find(scope, name, 1)
            meant[name] = matches[0].entity.id if matches else ""
    return meant
