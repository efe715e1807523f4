"""Brute-force search: every visible chunk is scored by the book."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from sextant.limits import check_vector
from sextant.query import AllOf, Query, passes
from sextant.settings import KeywordSettings
from sextant.stores.fusion import fuse, leg_depth
from sextant.stores.memory.units import Standing, standings
from sextant.stores.refusals import no_vectors
from sextant.text.bm25 import rarity, score
from sextant.text.words import Words
from sextant.types import Found, Match, Put


def find(
    units: Sequence[Put],
    query: Query,
    words: Words,
    keyword: KeywordSettings,
    width: int,
    commit: int,
) -> Found:
    """Answer a query from all visible units."""
    seen = {standing.chunk.id: standing for standing in standings(units)}
    tree = query.filter or AllOf(())
    allowed = [name for name, one in seen.items() if passes(tree, one.unit.document, one.chunk)]
    legs: list[dict[str, float]] = []
    by_text = by_vector = None
    frequencies: dict[str, int] = {}
    if query.text:
        bags = {name: one.bag(words, keyword) for name, one in seen.items()}
        terms = words.terms(query.text)
        frequencies = {term: sum(bag[term] > 0 for bag in bags.values()) for term in terms}
        by_text = _keyword(bags, terms, frequencies)
        legs.append({name: by_text[name] for name in allowed if by_text[name] > 0})
    if query.vector is not None:
        by_vector = _nearness(list(seen.values()), query, width)
        legs.append({name: by_vector[name] for name in allowed if name in by_vector})
    depth = leg_depth(query.k, len(legs))
    ranked = [_best(leg, depth) for leg in legs]
    blind = () if by_vector is None else seen.keys() - by_vector.keys()
    only = legs[0] if legs else dict.fromkeys(allowed, 0.0)
    scores = fuse(ranked, blind) if len(legs) == 2 else only
    matches = tuple(
        Match(
            seen[name].passage,
            scores[name],
            None if by_text is None else by_text[name],
            None if by_vector is None else by_vector.get(name),
            by_vector is None or name in by_vector,
        )
        for name in _best(scores, query.k)
    )
    return Found(matches, commit, frequencies, len(seen))


def holding(units: Sequence[Put], text: str, words: Words, keyword: KeywordSettings) -> list[str]:
    """Return the ids of the documents that have a chunk with all of a text's words."""
    terms = words.terms(text)
    found = (
        one.unit.document.id
        for one in standings(units if terms else ())
        if all(one.bag(words, keyword)[term] for term in terms)
    )
    return sorted(set(found))


def _best(scores: dict[str, float], k: int) -> list[str]:
    return sorted(scores, key=lambda name: (-scores[name], name))[:k]


def _keyword(
    bags: Mapping[str, Counter[str]], terms: Sequence[str], frequencies: Mapping[str, int]
) -> dict[str, float]:
    """Return the score of each chunk; a term that is asked twice counts twice."""
    mean = sum(bag.total() for bag in bags.values()) / max(1, len(bags))
    rarities = {
        term: times * rarity(frequencies[term], len(bags)) for term, times in Counter(terms).items()
    }
    return {name: score(bag, rarities, mean) for name, bag in bags.items()}


def _nearness(seen: Sequence[Standing], query: Query, width: int) -> dict[str, float]:
    if not width or query.vector is None:
        raise no_vectors()
    wanted = check_vector(query.vector, width).astype(np.float64)
    return {
        one.chunk.id: float(one.unit.vectors[one.at].astype(np.float64) @ wanted)
        for one in seen
        if one.unit.vectors is not None
    }
