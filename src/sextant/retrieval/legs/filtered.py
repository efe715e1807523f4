"""Passages that mention certain entities, or that are certain ones. Knows no ranking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sextant.ports import Knowledge
from sextant.query import AllOf, ChunksAny, EntitiesAny, Filter, Query
from sextant.text.odata.filters import render
from sextant.types import Found, Linked, Match, Scope

MOST_ENTITIES = 50
"""So many entities a search is filtered by at most; a longer filter nobody reads."""


def entities_filter(
    asked: Filter | None, linked: Iterable[Linked], around: Iterable[str] = ()
) -> Filter | None:
    """Return what was asked for, and chunks that mention a linked entity or one around them."""
    ids = dict.fromkeys([*(one.entity_id for one in linked), *around])
    return both(asked, EntitiesAny(tuple(ids)[:MOST_ENTITIES])) if ids else asked


def filter_text(tree: Filter | None) -> str:
    """Return a filter as OData writes it; nothing if there is none."""
    return render(tree) if tree else ""


async def search_by_entities(
    store: Knowledge, scope: Scope, query: Query, linked: Sequence[Linked]
) -> Sequence[str]:
    """Return the chunks that a query's filter lets through, best first.

    They are asked for by the names of the linked entities as well, so how they score says nothing
    of the query itself.
    """
    names = dict.fromkeys(one.name for one in linked)
    text = " ".join([query.text, *names])
    return list(by_id(await store.index.search(scope, replace(query, text=text))))


async def search_mentions(
    store: Knowledge, scope: Scope, query: Query, entity_ids: Sequence[str]
) -> Mapping[str, Match]:
    """Return the best passages of a query that mention one of these entities."""
    if not entity_ids:
        return {}
    tree = both(query.filter, EntitiesAny(tuple(entity_ids)))
    return by_id(await store.index.search(scope, replace(query, filter=tree)))


async def pick_chunks(
    store: Knowledge, scope: Scope, query: Query, chunk_ids: Sequence[str]
) -> Mapping[str, Match]:
    """Return these passages as matches of the query, if its filter lets them through.

    Those without a word of the question are no matches of its text, nor those without a vector of
    its vector.
    """
    if not chunk_ids:
        return {}
    found = await store.index.search(scope, _among(query, chunk_ids))
    matches = by_id(found)
    left = [name for name in chunk_ids if name not in matches]
    if not left or (query.vector is not None and not found.has_exact_scores):
        return matches
    bare = _among(replace(query, text="", vector=None), left)
    is_embedded = query.vector is None  # else the vector would have found it
    others = by_id(await store.index.search(scope, bare)).items()
    return {name: replace(one, is_embedded=is_embedded) for name, one in others} | matches


def _among(query: Query, chunk_ids: Sequence[str]) -> Query:
    tree = both(query.filter, ChunksAny(tuple(chunk_ids)))
    return replace(query, filter=tree, k=len(chunk_ids))


def by_id(found: Found) -> dict[str, Match]:
    """Return what was found by the ids of the chunks, in order."""
    return {one.passage.chunk.id: one for one in found.matches}


def both(one: Filter | None, other: Filter) -> Filter:
    """Return a filter that lets through what both do."""
    return other if one is None else AllOf((one, other))
