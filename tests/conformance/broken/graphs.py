"""Graphs that each break one promise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sextant.stores.memory import graph
from sextant.stores.memory.parts.graph import MemoryGraph
from sextant.types import (
    Direction,
    Entity,
    NameMatch,
    NameMode,
    Neighbourhood,
    Reach,
    Relation,
    Scope,
    Walk,
    Web,
)
from tests.conformance.broken.stores import STORES, TenantsWithPast, unhidden

_MANY = 100
"""More edges than a suite gives a node."""


@STORES.refused_by("test_a_delete_leaves_the_store_as_if_the_document_had_never_been")
class EdgeWithoutEvidence(MemoryGraph):
    """Breaks: an edge goes with the last document that says so."""

    async def neighbours(
        self, scope: Scope, entity_ids: Sequence[str], walk: Walk
    ) -> Neighbourhood:
        await super().neighbours(scope, entity_ids, walk)
        assert isinstance(self._tenants, TenantsWithPast)
        return graph.walk_from(self._tenants.past(scope), entity_ids, walk)


class _OtherWalk(MemoryGraph):
    """A graph that walks as it likes."""

    async def neighbours(
        self, scope: Scope, entity_ids: Sequence[str], walk: Walk
    ) -> Neighbourhood:
        await super().neighbours(scope, entity_ids, walk)
        return await super().neighbours(scope, entity_ids, self._walk(walk))

    def _walk(self, walk: Walk) -> Walk:
        return walk


@STORES.refused_by("test_a_walk_follows_direction_kind_and_hops")
class BothWays(_OtherWalk):
    """Breaks: a walk keeps to its direction."""

    def _walk(self, walk: Walk) -> Walk:
        return replace(walk, direction=Direction.BOTH)


@STORES.refused_by("test_a_walk_follows_direction_kind_and_hops")
class OneHop(_OtherWalk):
    """Breaks: a walk goes as many hops as it is told to."""

    def _walk(self, walk: Walk) -> Walk:
        return replace(walk, hops=1)


@STORES.refused_by("test_a_walk_follows_direction_kind_and_hops")
class AnyKind(_OtherWalk):
    """Breaks: a walk crosses only edges of the kinds that it is told."""

    def _walk(self, walk: Walk) -> Walk:
        return replace(walk, kinds=frozenset())


@STORES.refused_by("test_hubs_are_capped_to_their_best_edges")
class UncappedHub(_OtherWalk):
    """Breaks: no more edges of a node are followed than it is told."""

    def _walk(self, walk: Walk) -> Walk:
        return replace(walk, per_node=_MANY)


@STORES.refused_by("test_a_web_follows_a_hub_only_to_what_is_about_it")
class UncappedWeb(MemoryGraph):
    """Breaks: a web follows a hub only to what is about it."""

    async def web(
        self, scope: Scope, chunk_ids: Sequence[str], entity_ids: Sequence[str], reach: Reach
    ) -> Web:
        await super().web(scope, chunk_ids, entity_ids, reach)
        return await super().web(scope, chunk_ids, entity_ids, replace(reach, per_entity=_MANY))


@STORES.refused_by("test_names_are_found_exactly_by_beginning_by_word_and_nearly")
class PrefixByCase(MemoryGraph):
    """Breaks: case does not count in a name."""

    async def lookup(
        self, scope: Scope, names: Sequence[str], mode: NameMode, limit: int = 10
    ) -> Mapping[str, Sequence[NameMatch]]:
        found = await super().lookup(scope, names, mode, limit)
        if mode != NameMode.PREFIX:
            return found
        return {
            name: [
                one
                for one in own
                if any(it.startswith(name) for it in (one.entity.name, *one.entity.aliases))
            ]
            for name, own in found.items()
        }


@STORES.refused_by("test_the_most_reputable_document_names_an_entity")
class NamedByHidden(MemoryGraph):
    """Breaks: what hidden documents say of an entity is not heard."""

    async def entities(self, scope: Scope, entity_ids: Sequence[str]) -> Mapping[str, Entity]:
        seen = await super().entities(scope, entity_ids)
        return await super().entities(unhidden(scope), list(seen))


@STORES.refused_by("test_contributions_add_up_to_edges")
class WeightOfHidden(MemoryGraph):
    """Breaks: an edge adds up only what the scope sees."""

    async def neighbours(
        self, scope: Scope, entity_ids: Sequence[str], walk: Walk
    ) -> Neighbourhood:
        seen = await super().neighbours(scope, entity_ids, walk)
        every = await super().neighbours(unhidden(scope), entity_ids, walk)
        known = {_ends(link.relation): link for link in every.links}
        links = tuple(known.get(_ends(link.relation), link) for link in seen.links)
        return replace(seen, links=links)


def _ends(relation: Relation) -> tuple[str, str, str]:
    return relation.source, relation.target, relation.kind


@STORES.refused_by("test_documents_are_found_by_an_entity_that_they_name")
class MentionsInHidden(MemoryGraph):
    """Breaks: documents that are hidden are not found by whom they name."""

    async def mentioning(self, scope: Scope, entity_ids: Sequence[str]) -> Sequence[str]:
        return await super().mentioning(unhidden(scope), entity_ids)


@STORES.refused_by("test_each_part_shows_what_any_persona_of_a_scope_may_see")
class FirstPersonaHeard(MemoryGraph):
    """Breaks: an entity is what any persona of a scope may hear of it."""

    async def entities(self, scope: Scope, entity_ids: Sequence[str]) -> Mapping[str, Entity]:
        await super().entities(scope, entity_ids)
        first = frozenset(sorted(scope.personas)[:1])
        return await super().entities(replace(scope, personas=first), entity_ids)
