"""Exact BM25 over what a persona sees, from rare words to common ones. Knows no text, only terms.

A chunk counts as its fields repeated by their weights. Numbers of chunks, lengths and frequencies
are those of the visible chunks alone, so what cannot be seen cannot be felt in a score either.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sextant.stores.arrays.lists import Array, Ints, Mask
from sextant.stores.arrays.view import Sight, split

K1 = 1.2
B = 0.75

_SAFE = 1.0 - 1e-9
"""Bounds are held against sums of rounded numbers: a hair's breadth keeps them true."""


@dataclass(frozen=True, slots=True)
class Weighing:
    """A term's part in scores: weight · tf / (tf + flat + slope · length), below its weight."""

    term: bytes
    frequency: int
    weight: float
    flat: float
    slope: float

    def scores(self, counts: Array, lengths: Array) -> Array:
        """Return the term's part in each chunk's score."""
        wide = counts.astype(np.float64)
        return self.weight * wide / (wide + (self.flat + self.slope * lengths))


def weigh(sights: Sequence[Sight], terms: Iterable[str]) -> list[Weighing]:
    """Weigh the terms that occur in what is seen, rarest first. A repeated term counts again."""
    total = sum(sight.count for sight in sights)
    length = sum(sight.length for sight in sights)
    slope = K1 * B * total / length if length else 0.0
    repeats: dict[bytes, int] = {}
    for term in terms:
        key = term.encode()
        repeats[key] = repeats.get(key, 0) + 1
    weighed = []
    for key, times in repeats.items():
        frequency = sum(sight.frequency(key) for sight in sights)
        if frequency:
            rarity = math.log1p((total - frequency + 0.5) / (frequency + 0.5))
            weighed.append(Weighing(key, frequency, times * rarity * (K1 + 1), K1 * (1 - B), slope))
    return sorted(weighed, key=lambda term: (term.frequency, term.term))


def keyword_candidates(
    sights: Sequence[Sight], masks: Sequence[Mask | None], terms: Sequence[Weighing], k: int
) -> tuple[Ints, Array]:
    """Return places in order that hold the best k, and their exact scores."""
    rest = _sums_after(terms)
    sums = [np.zeros(len(sight.segment)) for sight in sights]
    threshold, done = 0.0, 0
    for at, term in enumerate(terms):
        touched = [
            _add(sight, mask, term, own)
            for sight, mask, own in zip(sights, masks, sums, strict=True)
        ]
        threshold = max(threshold, _kth(touched, k))
        done = at + 1
        if threshold * _SAFE > rest[at]:
            break
    places, scores = _at_least(sights, sums, threshold * _SAFE - rest[done - 1] if terms else 0.0)
    for at in range(done, len(terms)):
        _add_at(sights, terms[at], places, scores)
        if len(places) > k:
            threshold = max(threshold, _kth([scores], k))
            keep = scores >= threshold * _SAFE - rest[at]
            places, scores = places[keep], scores[keep]
    return places, scores


def keyword_scores(sights: Sequence[Sight], terms: Sequence[Weighing], places: Ints) -> Array:
    """Return the exact scores of places in order."""
    scores = np.zeros(len(places))
    for term in terms:
        _add_at(sights, term, places, scores)
    return scores


def _sums_after(terms: Sequence[Weighing]) -> list[float]:
    """For each term, the most that the terms after it can still add."""
    sums, total = [], 0.0
    for term in reversed(terms):
        sums.append(total)
        total += term.weight
    return sums[::-1]


def _add(sight: Sight, mask: Mask | None, term: Weighing, sums: Array) -> Array:
    """Add a term's part to every chunk that holds it, and return the sums there."""
    at = sight.segment.terms.keys.find(term.term)
    if at < 0:
        return sums[:0]
    items, counts = sight.segment.terms.lists[at], sight.segment.terms.lists.said_at(at)
    if mask is not None:
        keep = mask[items]
        items, counts = items[keep], counts[keep]
    reached = sums[items] + term.scores(counts, sight.segment.chunk_length[items])
    sums[items] = reached
    return reached


def _kth(parts: Sequence[Array], k: int) -> float:
    """Return the k-th highest value, or 0 if there are fewer."""
    values = parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.empty(0)
    if len(values) < k:
        return 0.0
    return float(np.partition(values, len(values) - k)[len(values) - k])


def _at_least(sights: Sequence[Sight], sums: Sequence[Array], least: float) -> tuple[Ints, Array]:
    places, scores = [np.empty(0, np.int64)], [np.empty(0)]
    for sight, own in zip(sights, sums, strict=True):
        found = np.flatnonzero(own >= least if least > 0 else own > 0)
        places.append(found + sight.base)
        scores.append(own[found])
    return np.concatenate(places), np.concatenate(scores)


def _add_at(sights: Sequence[Sight], term: Weighing, places: Ints, scores: Array) -> None:
    """Add a term's part to the scores of these places only."""
    for sight, part, own in split(sights, places):
        for within, items, counts in _holding(sight, term, own):
            lengths = sight.segment.chunk_length[items]
            scores[part][within] += term.scores(counts, lengths)


def _holding(sight: Sight, term: Weighing, own: Array) -> Iterator[tuple[Ints, Array, Array]]:
    at = sight.segment.terms.keys.find(term.term)
    if at < 0:
        return
    items = sight.segment.terms.lists[at]
    wanted = own.astype(items.dtype)
    where = np.searchsorted(items, wanted)
    where[where == len(items)] = 0
    within = np.flatnonzero(items[where] == wanted)
    where = where[within]
    yield within, items[where], sight.segment.terms.lists.said_at(at)[where]
