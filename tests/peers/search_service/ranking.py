"""What ranks rows: words by BM25 in each field, vectors by their nearness, both by their ranks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from sextant.text.bm25 import rarity, score
from sextant.text.words import NO_STEMS, Words
from tests.peers.search_service.documents import Row
from tests.peers.search_service.fields import Definition
from tests.peers.search_service.refusals import invalid

_LANGUAGES = {"en": "english", "de": "german", "fr": "french", "es": "spanish", "it": "italian"}
_STOPS = frozenset(
    (
        *("a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is"),
        *("it", "no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there"),
        *("these", "they", "this", "to", "was", "will", "with"),
    )
)
"""What Lucene's English analyzer leaves out."""
_OPERATORS = '+|"()*\\-'
_FLATTEN = 60  # the constant of reciprocal rank fusion in the service's documentation


@dataclass(frozen=True)
class Wanted:
    """The words of a query: all that count, and how they must fit."""

    some: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    barred: tuple[str, ...] = ()


def parse_simple(text: str) -> Wanted | None:
    """Read the simple syntax; None finds everything."""
    if text.strip() in ("", "*"):
        return None
    some: list[str] = []
    needed: list[str] = []
    barred: list[str] = []
    for word in text.split():
        bare = _unescaped(word)
        if word.startswith("-"):
            barred.append(bare)
        elif word.startswith("+"):
            needed.append(bare)
        else:
            some.append(bare)
    return Wanted(tuple(some), tuple(needed), tuple(barred))


def _unescaped(word: str) -> str:
    letters, is_escaped = [], False
    for letter in word:
        if letter == "\\" and not is_escaped:
            is_escaped = True
            continue
        letters.append(" " if letter in _OPERATORS and not is_escaped else letter)
        is_escaped = False
    return "".join(letters)


@cache
def _words(language: str) -> Words:
    return Words(language)


def terms(definition: Definition, name: str, text: str) -> list[str]:
    """Return the terms of a text by the analyzer of a field."""
    analyzer = definition.fields[name].get("analyzer") or "standard.lucene"
    language = _LANGUAGES.get(analyzer.partition(".")[0], NO_STEMS)
    found = _words(NO_STEMS).terms(text)
    if language == "english":
        found = [one for one in found if one not in _STOPS]
    return [one for word in found for one in _words(language).terms(word)]


class Keyword:
    """BM25 over all rows of an index, whoever may see them, as the service counts."""

    def __init__(
        self, definition: Definition, rows: Mapping[str, Row], names: Sequence[str]
    ) -> None:
        self._definition, self._names = definition, names
        self._bags = {
            name: {key: self._bag(name, row) for key, row in rows.items() if row.get(name)}
            for name in names
        }

    def _bag(self, name: str, row: Row) -> Counter[str]:
        value = row[name]
        text = "\n".join(value) if isinstance(value, list) else value
        return Counter(terms(self._definition, name, text))

    def scores(
        self, wanted: Wanted, weights: Mapping[str, float], *, is_all: bool
    ) -> dict[str, float]:
        """Return the score of every row that fits."""
        keys = {key for bags in self._bags.values() for key in bags}
        needed = [*wanted.needed, *(wanted.some if is_all else ())]
        for words in needed:
            if any(self._analyzed(name, words) for name in self._names):
                keys &= self._holding(words)
        for words in wanted.barred:
            keys -= self._holding(words)
        text = " ".join((*wanted.some, *wanted.needed))
        found = {key: self._score(key, text, weights) for key in keys}
        return {key: own for key, own in found.items() if own > 0}

    def _analyzed(self, name: str, words: str) -> list[str]:
        return terms(self._definition, name, words)

    def _holding(self, words: str) -> set[str]:
        return {
            key
            for name, bags in self._bags.items()
            for key, bag in bags.items()
            if (own := self._analyzed(name, words)) and all(bag[term] for term in own)
        }

    def _score(self, key: str, text: str, weights: Mapping[str, float]) -> float:
        total = 0.0
        for name, bags in self._bags.items():
            if key in bags:
                mean = sum(bag.total() for bag in bags.values()) / len(bags)
                rarities = {
                    term: times * rarity(sum(bag[term] > 0 for bag in bags.values()), len(bags))
                    for term, times in Counter(self._analyzed(name, text)).items()
                }
                total += weights.get(name, 1.0) * score(bags[key], rarities, mean)
        return total


def similarities(
    definition: Definition, rows: Mapping[str, Row], query: dict[str, Any]
) -> dict[str, float]:
    """Return the cosine of the nearest rows to a vector query, at most k of them."""
    name, vector = query.get("fields", ""), query.get("vector")
    if query.get("kind") != "vector" or not isinstance(vector, list):
        raise invalid("A vector query has the kind 'vector' and a vector.")
    own = definition.fields.get(name)
    if own is None:
        raise invalid(f"Unknown field '{name}' in vector field list.")
    if len(vector) != own["dimensions"]:
        raise invalid(
            f"There's a mismatch in vector dimensions. The vector field '{name}', with dimension "
            f"of '{own['dimensions']}', expects a length of '{own['dimensions']}'. However, the "
            f"provided vector has a length of '{len(vector)}'."
        )
    wanted = np.array(vector, np.float64)
    found = {key: _cosine(wanted, row[name]) for key, row in rows.items() if row.get(name)}
    return {key: found[key] for key in ordered(found)[: query.get("k") or 50]}


def _cosine(wanted: Any, held: list[float]) -> float:
    vector = np.array(held, np.float32).astype(np.float64)
    return float(wanted @ vector / (np.linalg.norm(wanted) * np.linalg.norm(vector)))


def ordered(scores: Mapping[str, float]) -> list[str]:
    """Return keys by their score, best first; the order of equals is nobody's promise."""
    return sorted(scores, key=lambda key: -scores[key])


def fused(legs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the sum of reciprocal ranks."""
    scores: dict[str, float] = {}
    for leg in legs:
        for rank, key in enumerate(ordered(leg), 1):
            scores[key] = scores.get(key, 0.0) + 1 / (_FLATTEN + rank)
    return scores
