"""Keyword scores on one scale, whichever engine gave them. Changes no order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from sextant.settings import KeywordSettings
from sextant.text.bm25 import bag_of, rarity, score
from sextant.text.words import Words
from sextant.types import Found, Match


def on_bm25_scale(
    matches: Mapping[str, Match], found: Found, text: str, words: Words, weights: KeywordSettings
) -> dict[str, Match]:
    """Return the matches of a text as they are, or if their scores are not exact, scaled.

    What BM25 gives these passages, with their own mean length for that of all, tells the scale:
    all scores are multiplied by one factor, after which both add up to the same.
    """
    given = sum(one.keyword or 0.0 for one in matches.values())
    if found.has_exact_scores or given <= 0:
        return dict(matches)
    factor = _expected(matches, found, text, words, weights) / given
    if factor <= 0:  # the other engine found words that are none here
        return dict(matches)
    return {
        name: one if one.keyword is None else replace(one, keyword=one.keyword * factor)
        for name, one in matches.items()
    }


def _expected(
    matches: Mapping[str, Match], found: Found, text: str, words: Words, weights: KeywordSettings
) -> float:
    """Return what the scores of all matches would add up to."""
    passages = [one.passage for one in matches.values() if one.keyword]
    bags = [bag_of(one.document, one.chunk, words, weights) for one in passages]
    mean = sum(bag.total() for bag in bags) / len(bags)
    rarities = {
        term: times * rarity(found.frequencies.get(term, 0), found.chunks)
        for term, times in Counter(words.terms(text)).items()
    }
    return sum(score(bag, rarities, mean) for bag in bags)
