"""Which tools have a word in which field, and what it counts there.

In a name a word counts for its share of the name, so that a name that is said whole counts 1; in
the other fields by BM25, each field apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sextant.text.bm25 import FULL, K1, B
from sextant.text.words import Words
from sextant.toolbox.match.texts import FIELDS, NAME, field_texts
from sextant.types import Tool

Bags = tuple[Counter[str], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """For each word and field the tools that have it there, with a score."""

    terms: dict[str, int]
    starts: NDArray[np.int64]
    """Where the tools of a word begin, by its number, then by field; the end is the last."""
    rows: NDArray[np.int64]
    scores: NDArray[np.float32]
    tools: int

    def score(self, terms: Iterable[str]) -> NDArray[np.float32]:
        """Return for each field and tool the sum of what these words count there."""
        found = np.zeros((len(FIELDS), self.tools), np.float32)
        for term in terms:
            number = self.terms.get(term)
            if number is not None:
                first = number * len(FIELDS)
                ends = self.starts[first : first + len(FIELDS) + 1].tolist()
                for field, (start, end) in enumerate(pairwise(ends)):
                    if start < end:
                        found[field][self.rows[start:end]] += self.scores[start:end]
        return found


def bags_of(tool: Tool, words: Words) -> Bags:
    """Return the words of a tool, field by field; in a name only those that say something."""
    name, *others = (Counter(words.terms(text)) for text in field_texts(tool))
    common = common_terms(words)
    return Counter({term: 1 for term in name if term not in common}), *others


def common_terms(words: Words) -> frozenset[str]:
    """Return the terms that say nothing of what is wanted."""
    found = _commons.get(words.language)
    if found is None:
        found = _commons[words.language] = frozenset(words.terms(_COMMON))
    return found


_COMMON = (
    "a an the and or of to in on for with by at from is are was be this that it its i me my we our"
    " you your please can could would will want need help as if so do does did have has had am not"
    " no any some all also then than into about using use used get"
)
_commons: dict[str, frozenset[str]] = {}


def make_postings(bags: Sequence[Bags]) -> Postings:
    """Return the postings of tools, each given by its words."""
    terms: dict[str, int] = {}
    rows: list[int] = []
    numbers: list[int] = []
    fields: list[int] = []
    counts: list[int] = []
    for row, own in enumerate(bags):
        for field, bag in enumerate(own):
            rows.extend([row] * len(bag))
            fields.extend([field] * len(bag))
            numbers.extend(terms.setdefault(term, len(terms)) for term in bag)
            counts.extend(bag.values())
    flat = [np.array(one, np.int64) for one in (rows, fields, numbers, counts)]
    return _arranged(flat[0], flat[1], flat[2], flat[3], terms, len(bags))


def _arranged(
    rows: NDArray[np.int64],
    fields: NDArray[np.int64],
    numbers: NDArray[np.int64],
    counts: NDArray[np.int64],
    terms: dict[str, int],
    tools: int,
) -> Postings:
    """Put what was counted in the order of words, then of fields."""
    values = _bm25(rows, fields, numbers, counts, len(terms), tools)
    keys = numbers * len(FIELDS) + fields
    order = np.argsort(keys, kind="stable")
    starts = np.searchsorted(keys[order], np.arange(len(terms) * len(FIELDS) + 1))
    return Postings(terms, starts, rows[order], values[order].astype(np.float32), tools)


def _bm25(
    rows: NDArray[np.int64],
    fields: NDArray[np.int64],
    numbers: NDArray[np.int64],
    counts: NDArray[np.int64],
    terms: int,
    tools: int,
) -> NDArray[np.float64]:
    lengths = np.zeros((len(FIELDS), max(tools, 1)))
    np.add.at(lengths, (fields, rows), counts)
    frequency = np.zeros((len(FIELDS), max(terms, 1)))
    np.add.at(frequency, (fields, numbers), 1)
    means = np.maximum(lengths.mean(1), 1.0)
    own = frequency[fields, numbers]
    rarity = np.log1p((tools - own + 0.5) / (own + 0.5))
    norm = K1 * (1 - B + B * lengths[fields, rows] / means[fields])
    values = rarity * counts * FULL / (counts + norm)
    in_name = fields == NAME
    whole = np.bincount(rows[in_name], rarity[in_name], max(tools, 1))
    values[in_name] = rarity[in_name] / whole[rows[in_name]]
    return np.asarray(values)
