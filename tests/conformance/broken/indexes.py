"""Indexes that each break one promise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from sextant import query as queries
from sextant.query import AllOf, AnyOf, Filter, Not, Query, TagsAll, TagsAny, TimeRange
from sextant.stores.memory import search
from sextant.stores.memory.parts.index import MemoryIndex
from sextant.stores.memory.units import standings
from sextant.types import Facets, Found, Pieces, Put, Scope
from tests.conformance.broken.stores import STORES, TenantsWithPast, unhidden

_ALL = 1000
"""More than a suite ever writes."""


@STORES.refused_by(
    "test_a_delete_leaves_the_store_as_if_the_document_had_never_been",
    "test_a_search_says_how_common_each_of_its_words_is",
)
class DeletedInStatistics(MemoryIndex):
    """Breaks: what was deleted is not felt in any score."""

    async def search(self, scope: Scope, query: Query) -> Found:
        await super().search(scope, query)
        assert isinstance(self._tenants, TenantsWithPast)
        gone = {unit.document.id for unit in self._tenants.gone(scope)}
        return _find(self, scope, query, self._tenants.past(scope), gone)


@STORES.refused_by(
    "test_what_a_persona_may_not_see_does_not_exist_for_it",
    "test_what_any_persona_of_a_scope_may_see_is_there_and_nothing_else",
)
class HiddenInStatistics(MemoryIndex):
    """Breaks: what a persona may not see is not felt in any score."""

    async def search(self, scope: Scope, query: Query) -> Found:
        await super().search(scope, query)
        every = self._tenants.seen(unhidden(scope))
        hidden = {unit.document.id for unit in every if not scope.sees(unit.document)}
        return _find(self, scope, query, every, hidden)


def _find(
    index: MemoryIndex, scope: Scope, query: Query, units: Sequence[Put], unseen: set[str]
) -> Found:
    """Search all of these units, then leave out those that must not be found."""
    tenants = index._tenants
    keyword, commit = tenants.settings.keyword, tenants.tenant(scope).commit
    wide = replace(query, k=_ALL)
    found = search.find(units, wide, tenants.words, keyword, tenants.width, commit)
    kept = [one for one in found.matches if one.passage.document.id not in unseen]
    return replace(found, matches=tuple(kept[: query.k]))


@STORES.refused_by("test_what_is_not_looked_for_takes_no_place_among_the_best")
class FilteredAfterwards(MemoryIndex):
    """Breaks: the best k are the best of those that the filter lets through."""

    async def search(self, scope: Scope, query: Query) -> Found:
        filtered = await super().search(scope, query)
        if query.filter is None or not (query.text or query.vector is not None):
            return filtered
        found, tree = await super().search(scope, replace(query, filter=None)), query.filter
        kept = [
            match
            for match in found.matches
            if queries.passes(tree, match.passage.document, match.passage.chunk)
        ]
        return replace(found, matches=tuple(kept))


@STORES.refused_by("test_what_is_not_looked_for_takes_no_place_among_the_best")
class HiddenAfterwards(MemoryIndex):
    """Breaks: the best k are the best of those that the persona may see."""

    async def search(self, scope: Scope, query: Query) -> Found:
        found = await super().search(scope, query)
        everybodys = await super().search(unhidden(scope), query)
        best = {match.passage.chunk.id for match in everybodys.matches}
        kept = [match for match in found.matches if match.passage.chunk.id in best]
        return replace(found, matches=tuple(kept))


@STORES.refused_by("test_keyword_scores_are_those_of_bm25")
class NormalisedScores(MemoryIndex):
    """Breaks: keyword scores that are called exact are those of BM25."""

    async def search(self, scope: Scope, query: Query) -> Found:
        found = await super().search(scope, query)
        if query.vector is not None or not query.text:
            return found
        squeezed = [match.score / (1 + match.score) for match in found.matches]
        pairs = zip(found.matches, squeezed, strict=True)
        return replace(
            found, matches=tuple(replace(one, score=own, keyword=own) for one, own in pairs)
        )


@STORES.refused_by("test_the_nearest_vectors_come_first")
class DistanceForNearness(MemoryIndex):
    """Breaks: the vector score is the cosine, not a distance."""

    async def search(self, scope: Scope, query: Query) -> Found:
        found = await super().search(scope, query)
        if query.vector is None or query.text:
            return found
        distances = [1 - (match.vector or 0.0) for match in found.matches]
        pairs = zip(found.matches, distances, strict=True)
        return replace(
            found, matches=tuple(replace(one, score=own, vector=own) for one, own in pairs)
        )


@STORES.refused_by("test_each_part_shows_what_any_persona_of_a_scope_may_see")
class FirstPersonaOnly(MemoryIndex):
    """Breaks: what any persona of a scope may see is found."""

    async def search(self, scope: Scope, query: Query) -> Found:
        await super().search(scope, query)
        first = frozenset(sorted(scope.personas)[:1])
        return await super().search(replace(scope, personas=first), query)


@STORES.refused_by("test_a_search_sees_the_commit_that_it_asks_for")
class CommitNotAwaited(MemoryIndex):
    """Breaks: a search for a commit that was never made is refused."""

    async def search(self, scope: Scope, query: Query) -> Found:
        known = self._tenants.tenant(scope).commit
        late = isinstance(query, Query) and query.at_least > known
        return await super().search(scope, replace(query, at_least=known) if late else query)


class _Rewritten(MemoryIndex):
    """An index that reads leaves of a filter as something else."""

    async def search(self, scope: Scope, query: Query) -> Found:
        found = await super().search(scope, query)
        if query.filter is None:
            return found
        return await super().search(scope, replace(query, filter=self._tree(query.filter)))

    def _tree(self, tree: Filter) -> Filter:
        match tree:
            case AllOf(parts):
                return AllOf(tuple(map(self._tree, parts)))
            case AnyOf(parts):
                return AnyOf(tuple(map(self._tree, parts)))
            case Not(part):
                return Not(self._tree(part))
            case _:
                return self._leaf(tree)

    def _leaf(self, leaf: queries.Leaf) -> Filter:
        return leaf


@STORES.refused_by("test_a_filter_alone_lists_by_id")
class AnyReadAsAll(_Rewritten):
    """Breaks: one of the tags is enough where any is asked for."""

    def _leaf(self, leaf: queries.Leaf) -> Filter:
        return TagsAll(leaf.tags) if isinstance(leaf, TagsAny) else leaf


@STORES.refused_by("test_a_filter_alone_lists_by_id")
class EndIncluded(_Rewritten):
    """Breaks: a time range ends before its end."""

    def _leaf(self, leaf: queries.Leaf) -> Filter:
        if not isinstance(leaf, TimeRange) or leaf.end is None:
            return leaf
        return replace(leaf, end=leaf.end + timedelta(microseconds=1))


@STORES.refused_by("test_ties_are_broken_by_id")
class TiesByAge(MemoryIndex):
    """Breaks: ties are broken by id."""

    async def search(self, scope: Scope, query: Query) -> Found:
        found = await super().search(scope, query)
        if not query.text and query.vector is None:
            return found
        every = await super().search(scope, replace(query, k=_ALL))
        age = {one.chunk.id: at for at, one in enumerate(standings(self._tenants.seen(scope)))}
        ranked = sorted(every.matches, key=lambda one: (-one.score, age[one.passage.chunk.id]))
        return replace(every, matches=tuple(ranked[: query.k]))


@STORES.refused_by("test_a_hybrid_search_shows_both_scores_of_every_match")
class OneLegShown(MemoryIndex):
    """Breaks: a hybrid search shows both scores of every match."""

    async def search(self, scope: Scope, query: Query) -> Found:
        found = await super().search(scope, query)
        matches = [replace(match, keyword=match.keyword or None) for match in found.matches]
        return replace(found, matches=tuple(matches))


@STORES.refused_by("test_pieces_are_those_of_the_version_that_was_read")
class PiecesOfAnyVersion(MemoryIndex):
    """Breaks: pieces are those of the version that was read."""

    async def pieces(self, scope: Scope, versions: Mapping[str, str]) -> Mapping[str, Pieces]:
        await super().pieces(scope, versions)
        now = {one.chunk.id: one.unit.key for one in standings(self._tenants.seen(scope))}
        wanted = {name: now.get(name, version) for name, version in versions.items()}
        return await super().pieces(scope, wanted)


@STORES.refused_by("test_the_tags_and_source_types_in_use_are_told")
class FacetsOfHidden(MemoryIndex):
    """Breaks: facets count only what the scope sees."""

    async def facets(self, scope: Scope) -> Facets:
        return await super().facets(unhidden(scope))


@STORES.refused_by("test_documents_are_found_by_all_words_of_a_phrase")
class WordsAcrossChunks(MemoryIndex):
    """Breaks: all words of a phrase stand in one chunk."""

    async def holding(self, scope: Scope, texts: Sequence[str]) -> Mapping[str, Sequence[str]]:
        whole = await super().holding(scope, texts)
        by_word = {
            word: set((await super(WordsAcrossChunks, self).holding(scope, [word]))[word])
            for text in texts
            for word in text.split()
        }
        return {
            text: sorted(set.intersection(*(by_word[word] for word in text.split())))
            if text.split()
            else whole[text]
            for text in texts
        }


@STORES.refused_by("test_an_unknown_tenant_is_empty_and_reading_does_not_make_it")
class TenantMadeByReading(MemoryIndex):
    """Breaks: reading makes no tenant."""

    async def search(self, scope: Scope, query: Query) -> Found:
        found = await super().search(scope, query)
        self._tenants.made(scope)
        return found
