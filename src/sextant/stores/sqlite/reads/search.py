"""Searching a snapshot: filter, legs, fusion, and the passages behind the places that won."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from sextant.limits import check_vector
from sextant.query import ChunksAny, DocumentsAny, EntitiesAny, Filter, Query, walk
from sextant.stores.arrays.graph.columns import related_in
from sextant.stores.arrays.lists import Array, Ints, Mask, distinct, places_of
from sextant.stores.arrays.search_legs.best import best, first_by_id
from sextant.stores.arrays.search_legs.keyword import holding, keyword_candidates, keyword_scores
from sextant.stores.arrays.search_legs.terms import Weighed, weigh
from sextant.stores.arrays.search_legs.vectors import (
    vector_candidates,
    vector_scores,
    without_vector,
)
from sextant.stores.arrays.snapshots.masks import Allowed, Resolved, allow
from sextant.stores.arrays.snapshots.view import Sight, Sights, Snapshot, Viewer, chunk_rows
from sextant.stores.fusion import fuse, leg_depth
from sextant.stores.making import maker
from sextant.stores.refusals import no_vectors
from sextant.stores.sqlite.truth.rows import (
    chunk_numbers,
    document_ids,
    document_numbers,
    numbers_of,
    passages,
)
from sextant.text.words import Words
from sextant.types import Found, Match

_make_match = maker(Match)


@dataclass(frozen=True, slots=True)
class _Leg:
    """Places, best first, their scores, and how to score any other place."""

    places: list[int]
    scores: list[float]
    score: Callable[[Ints], Array]

    def scores_of(self, places: Sequence[int]) -> list[float | None]:
        """Return the score of every place that has one, whichever leg brought it."""
        known: dict[int, float] = dict(zip(self.places, self.scores, strict=True))
        others = sorted(set(places) - known.keys())
        if others:
            known |= zip(others, self.score(np.array(others, np.int64)).tolist(), strict=True)
        return [None if isnan(known[place]) else known[place] for place in places]


def find(
    connection: sqlite3.Connection,
    snapshot: Snapshot,
    viewer: Viewer,
    query: Query,
    words: Words,
    width: int,
) -> Found:
    """Answer a query from one snapshot."""
    if not snapshot.views:
        return find_nothing(query, words, width, snapshot.commit)
    sights = snapshot.sights(viewer)
    allowed = allow(sights, query.filter, lambda: _resolve(connection, query.filter))
    vector = _vector(query, width)
    depth = leg_depth(query.k, bool(query.text) + (vector is not None))
    by_text, frequencies = None, {}
    if query.text:
        weighed = weigh(sights, terms := words.terms(query.text))
        mask = None if query.filter is None else _whole_mask(allowed)
        by_text = _text_leg(weighed, mask, depth)
        seen = {one.term.decode(): one.frequency for one in weighed.terms}
        frequencies = dict.fromkeys(terms, 0) | seen
    by_vector = None if vector is None else _vector_leg(sights, allowed, vector, depth)
    legs = [leg for leg in (by_text, by_vector) if leg]
    places, scores = _order(sights, allowed, legs, query.k)
    unasked = [None] * len(places)
    keyword = by_text.scores_of(places) if by_text else unasked
    nearness = by_vector.scores_of(places) if by_vector else unasked
    rows = chunk_rows(sights, places)
    shown = passages(connection, rows, snapshot.rows)
    return Found(
        tuple(
            _make_match(shown[row], score, told, near, near is not None or vector is None)
            for row, score, told, near in zip(rows, scores, keyword, nearness, strict=True)
        ),
        snapshot.commit,
        frequencies,
        sum(sight.count for sight in sights),
    )


def find_nothing(query: Query, words: Words, width: int, commit: int = 0) -> Found:
    """Answer a query where nothing is, as if there were something and all of it were hidden."""
    _vector(query, width)
    return Found((), commit, dict.fromkeys(words.terms(query.text), 0))


def documents_holding(
    connection: sqlite3.Connection,
    snapshot: Snapshot,
    viewer: Viewer,
    texts: Sequence[str],
    words: Words,
) -> dict[str, list[str]]:
    """Return for each text the ids of the documents that have a chunk with all of its words."""
    sights = snapshot.sights(viewer)
    found = {text: holding(sights, words.terms(text)).tolist() for text in texts}
    ids = document_ids(connection, sorted({row for own in found.values() for row in own}))
    return {text: sorted(ids[row] for row in own) for text, own in found.items()}


def documents_mentioning(
    connection: sqlite3.Connection, snapshot: Snapshot, viewer: Viewer, entity_ids: Sequence[str]
) -> list[str]:
    """Return the ids of the documents that define, mention or relate any of these entities."""
    tree = EntitiesAny(tuple(entity_ids))
    resolved = _resolve(connection, tree)
    numbers = np.array(sorted(resolved.entities.values()), np.int64)
    found = [np.empty(0, np.int64)]
    for sight in snapshot.sights(viewer):
        segment = sight.segment
        chunks = Allowed(sight, tree, resolved).chunks.nonzero()[0]
        found.append(segment.document_row[distinct(segment.chunk_document[chunks])])
        places, known = places_of(segment.definitions.keys, numbers)
        defining = segment.definitions.lists.gather(places[known])
        naming = np.concatenate([defining, related_in(segment, numbers)])
        found.append(segment.document_row[naming[sight.documents[naming]]])
    rows = distinct(np.concatenate(found)).tolist()
    return sorted(document_ids(connection, rows).values())


def _whole_mask(allowed: Sequence[Allowed]) -> Mask:
    return np.concatenate([one.chunks for one in allowed])


def _text_leg(weighed: Weighed, mask: Mask | None, depth: int) -> _Leg:
    found = best(weighed.sights, *keyword_candidates(weighed, mask, depth), depth)
    return _Leg(*found, lambda places: keyword_scores(weighed, places))


def _vector_leg(sights: Sights, allowed: Sequence[Allowed], vector: Array, depth: int) -> _Leg:
    found = best(sights, *vector_candidates(sights, allowed, vector, depth), depth)
    return _Leg(*found, lambda places: vector_scores(sights, vector, places))


def _vector(query: Query, width: int) -> Array | None:
    if query.vector is None:
        return None
    if not width:
        raise no_vectors()
    return check_vector(query.vector, width)


def _resolve(connection: sqlite3.Connection, tree: Filter | None) -> Resolved:
    entities: set[str] = set()
    documents: set[str] = set()
    chunks: set[str] = set()
    for node, _ in walk(tree) if tree is not None else ():
        if isinstance(node, EntitiesAny):
            entities.update(node.entity_ids)
        elif isinstance(node, DocumentsAny):
            documents.update(node.document_ids)
        elif isinstance(node, ChunksAny):
            chunks.update(node.chunk_ids)
    return Resolved(
        numbers_of(connection, sorted(entities)),
        document_numbers(connection, sorted(documents)),
        chunk_numbers(connection, sorted(chunks)),
    )


def _order(
    sights: Sequence[Sight],
    allowed: Sequence[Allowed],
    legs: Sequence[_Leg],
    k: int,
) -> tuple[list[int], list[float]]:
    """Order the places by their only leg, by the fusion of two, or by id when there is none."""
    if len(legs) == 1:
        return legs[0].places, legs[0].scores
    if legs:
        by_text, by_vector = (leg.places for leg in legs)
        blind = without_vector(sights, np.array(sorted(set(by_text) - set(by_vector)), np.int64))
        fused = fuse([by_text, by_vector], frozenset(blind.tolist()))
        chosen = np.array(sorted(fused), np.int64)
        return best(sights, chosen, np.array([fused[place] for place in chosen.tolist()]), k)
    own = (one.chunks.nonzero()[0] for one in allowed)
    every = [rows + sight.base for sight, rows in zip(sights, own, strict=True)]
    places = first_by_id(sights, np.concatenate(every), k).tolist()
    return places, [0.0] * len(places)
