"""The keyword score that answers are judged by: BM25, with its numbers in one place.

Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), with the
rarity as Lucene has it, which is never below 0. Knows neither passages nor stores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import log1p

from sextant.settings import KeywordSettings
from sextant.text.words import Words
from sextant.types import Chunk, Document

K1 = 1.2
"""How soon a word that comes again counts no more; 1.2 is the usual value, as in Lucene."""
B = 0.75
"""How much the length of a passage counts; 0.75 is the usual value, as in Lucene."""
FULL = K1 + 1
"""The most that a word can bring to a score, for each point of its rarity."""


def rarity(frequency: int, chunks: int) -> float:
    """Return what a word weighs that so many of the chunks hold."""
    return log1p((chunks - frequency + 0.5) / (frequency + 0.5))


def score(bag: Counter[str], rarities: Mapping[str, float], mean: float) -> float:
    """Return the score of a passage, given the mean length of all."""
    norm = K1 * (1 - B + B * bag.total() / mean) if mean else 0.0
    held = ((own, bag[term]) for term, own in rarities.items() if bag[term])
    return sum(own * count * FULL / (count + norm) for own, count in held)


def bag_of(
    document: Document, chunk: Chunk, words: Words, weights: KeywordSettings
) -> Counter[str]:
    """Return the terms of a chunk, which counts as its fields repeated by their weights."""
    fields = (
        (document.title, weights.title_weight),
        ("\n".join(chunk.headings), weights.headings_weight),
        (chunk.text, 1),
    )
    bag: Counter[str] = Counter()
    for text, weight in fields:
        for term in words.terms(text) if weight else ():
            bag[term] += weight
    return bag
