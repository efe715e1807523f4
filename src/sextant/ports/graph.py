"""The graph: names, entities and the edges between them, derived from the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sextant.types import (
        Entity,
        NameMatch,
        NameMode,
        Neighbourhood,
        Reach,
        Scope,
        StoreAbility,
        Walk,
        Web,
    )


class GraphReader(Protocol):
    """Names, entities and the edges between them, as far as the scope sees."""

    async def lookup(
        self, scope: Scope, names: Sequence[str], mode: NameMode, limit: int = 10
    ) -> Mapping[str, Sequence[NameMatch]]:
        """Return for each name the entities that bear it, best first."""

    async def entities(self, scope: Scope, entity_ids: Sequence[str]) -> Mapping[str, Entity]:
        """Return those that some visible document defines."""

    async def neighbours(
        self, scope: Scope, entity_ids: Sequence[str], walk: Walk
    ) -> Neighbourhood:
        """Follow edges from these entities."""

    async def web(
        self, scope: Scope, chunk_ids: Sequence[str], entity_ids: Sequence[str], reach: Reach
    ) -> Web:
        """Return who is mentioned where, round these chunks and entities."""


class Graph(GraphReader, Protocol):
    """All that is found by following names."""

    @property
    def abilities(self) -> frozenset[StoreAbility]:
        """What is promised of that which engines differ in."""

    async def mentioning(self, scope: Scope, entity_ids: Sequence[str]) -> Sequence[str]:
        """Return the documents that define, mention or relate any of these entities, by id."""
