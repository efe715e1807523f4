"""Exact BM25 over what a persona sees, from rare words to common ones. Knows no text, only terms.

A chunk counts as its fields repeated by their weights. Numbers of chunks, lengths and frequencies
are those of the visible chunks alone, so what cannot be seen cannot be felt in a score either.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sextant.stores.arrays.lists import Array, Ints, Mask, distinct
from sextant.stores.arrays.view import Sights, split

K1 = 1.2
B = 0.75

_FLAT = K1 * (1 - B)
_COSTLY = 4_000
"""A term in more chunks than this costs more to add than a look at how high the bar is."""

_NEAR = 0.6
"""Below this share of what is to come, a second look would hardly reach it."""

_AT_ONCE = 4
_SCAN = 2_000
"""With more places than this, a scan of all costs less than sorting them."""

_SAFE = 1.0 - 1e-9
"""Bounds are held against sums of rounded numbers: a hair's breadth keeps them true."""


@dataclass(frozen=True, slots=True)
class Weighing:
    """A term's part in scores: weight · tf / (tf + norm), which is at most its bound.

    ``places`` says where it stands in the vocabulary of each sight, or -1.
    """

    term: bytes
    frequency: int
    weight: float
    bound: float
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Weighed:
    """The terms that occur in what is seen, rarest first, and the norm at each place."""

    sights: Sights
    norms: Array
    terms: Sequence[Weighing]


def weigh(sights: Sights, terms: Iterable[str]) -> Weighed:
    """Weigh the terms of a query; a repeated term counts again."""
    repeats = Counter(term.encode() for term in terms)
    keys = sorted(repeats)
    total = sum(sight.count for sight in sights)
    length = sum(sight.length for sight in sights)
    slope = K1 * B * total / length if length else 0.0
    found = zip(*(sight.segment.terms.keys.find_all(keys) for sight in sights), strict=True)
    weighed = []
    for key, places in zip(keys, found, strict=True):
        held = [(sight, place) for sight, place in zip(sights, places, strict=True) if place >= 0]
        frequency = sum(sight.frequency(place) for sight, place in held)
        if frequency:
            rarity = math.log1p((total - frequency + 0.5) / (frequency + 0.5))
            weight = repeats[key] * rarity * (K1 + 1)
            share = max(sight.segment.term_share(place, _FLAT, slope) for sight, place in held)
            weighed.append(Weighing(key, frequency, weight, weight * share, places))
    weighed.sort(key=lambda term: (term.frequency, term.term))
    return Weighed(sights, sights.norms(_FLAT, slope), weighed)


def keyword_candidates(weighed: Weighed, mask: Mask | None, k: int) -> tuple[Ints, Array]:
    """Return places in order that hold the best k, and their exact scores.

    Words are added for all their chunks while chunks that hold only the words to come could still
    be among the best; the common words that remain are added where it matters.
    """
    terms, rest = weighed.terms, _sums_from(weighed.terms)
    sums = np.zeros(len(weighed.norms))
    touched: list[Ints] = []
    threshold, done, lifted = 0.0, 0, 0
    while done < len(terms) and threshold * _SAFE <= rest[done]:
        promising = not lifted or threshold > _NEAR * rest[done]
        if done > lifted and promising and terms[done].frequency > _COSTLY:
            threshold, lifted = max(threshold, _lift(weighed, done, sums, touched, k)), done
            continue
        touched.append(_add(weighed, done, mask, sums))
        done += 1
    places, threshold = _worth_a_look(sums, touched, threshold, rest[done], k)
    scores = sums[places]
    while done < len(terms):
        scores = _complete(weighed, done, done + _AT_ONCE, places, scores)
        done = min(done + _AT_ONCE, len(terms))
        if len(places) > k:
            threshold = max(threshold, _kth(scores, k))
            keep = scores >= threshold * _SAFE - rest[done]
            places, scores = places[keep], scores[keep]
    return places, scores


def keyword_scores(weighed: Weighed, places: Ints) -> Array:
    """Return the exact scores of places in order."""
    return _complete(weighed, 0, len(weighed.terms), places, np.zeros(len(places)))


def holding(sights: Sights, terms: Iterable[str]) -> Ints:
    """Return the rows of the visible documents that have a chunk with all of these terms."""
    keys = sorted({term.encode() for term in terms})
    found = [np.empty(0, np.int64)]
    for sight in sights if keys else ():
        places = sight.segment.terms.keys.find_all(keys)
        if min(places) >= 0:
            lists = sorted((sight.segment.terms.lists[place] for place in places), key=len)
            chunks = functools.reduce(_common, lists)
            chunks = chunks if sight.whole else chunks[sight.chunks[chunks]]
            found.append(sight.segment.document_row[distinct(sight.segment.chunk_document[chunks])])
    return np.concatenate(found)


def _common(few: Array, many: Array) -> Array:
    """Return the items that both lists in order hold."""
    shared: Array = few[many.take(many.searchsorted(few), mode="clip") == few]
    return shared


def _sums_from(terms: Sequence[Weighing]) -> list[float]:
    """For each term, and for the end, the most that it and the terms after it can add."""
    sums = [0.0]
    for term in reversed(terms):
        sums.append(sums[-1] + term.bound)
    return sums[::-1]


def _add(weighed: Weighed, at: int, mask: Mask | None, sums: Array) -> Ints:
    """Add a term's part to every place that holds it, and return these places."""
    term = weighed.terms[at]
    found, said = [], []
    for sight, place in zip(weighed.sights, term.places, strict=True):
        if place >= 0:
            lists = sight.segment.terms.lists
            found.append(lists[place] + np.int64(sight.base))
            said.append(lists.said_at(place))
    places, counts = np.concatenate(found), np.concatenate(said)
    if mask is not None:
        keep = mask[places]
        places, counts = places[keep], counts[keep]
    sums[places] += _part(term, counts, weighed.norms[places])
    return places


def _part(term: Weighing, counts: Array, norms: Array) -> Array:
    wide = counts.astype(np.float64)
    return term.weight * wide / (wide + norms)


def _lift(weighed: Weighed, done: int, sums: Array, touched: Sequence[Ints], k: int) -> float:
    """Return a score that k chunks are known to reach: the best so far, with all terms added.

    A place is touched at most once by each term, so k · terms of them hold at least k chunks.
    """
    pool = np.concatenate(touched)
    most = k * len(touched)
    if len(pool) > most:
        pool = pool[sums[pool].argpartition(len(pool) - most)[-most:]]
    pool = distinct(pool)
    if len(pool) < k:
        return 0.0
    reached = sums[pool]
    top = np.sort(reached.argpartition(len(pool) - k)[-k:])
    scores = _complete(weighed, done, len(weighed.terms), pool[top], reached[top])
    return float(scores.min())


def _kth(values: Array, k: int) -> float:
    """Return the k-th highest value, or 0 if there are fewer."""
    if len(values) < k:
        return 0.0
    return float(np.partition(values, len(values) - k)[len(values) - k])


def _worth_a_look(
    sums: Array, touched: Sequence[Ints], threshold: float, rest: float, k: int
) -> tuple[Ints, float]:
    """Return the places, in order, that could be among the best, and the score to beat."""
    if not touched:
        return np.empty(0, np.int64), threshold
    pool = np.concatenate(touched)
    reached = sums[pool]
    threshold = threshold or _kth(reached, k * len(touched))
    least = threshold * _SAFE - rest
    found = pool[reached >= least if least > 0 else reached > 0]
    if len(found) < _SCAN:
        return distinct(found), threshold
    return (sums >= least if least > 0 else sums > 0).nonzero()[0], threshold


def _complete(weighed: Weighed, start: int, end: int, places: Ints, scores: Array) -> Array:
    """Return the scores of these places after adding the parts of some terms, one by one."""
    scores = scores.copy()
    terms = weighed.terms[start:end]
    weights = np.array([term.weight for term in terms])[:, None]
    for number, part, own in split(weighed.sights, places):
        segment = weighed.sights[number].segment
        counts = np.zeros((len(terms), len(own)))
        for row, term in zip(counts, terms, strict=True):
            if term.places[number] >= 0:
                row[:] = segment.term_counts(term.places[number], own)
        for added in weights * counts / (counts + weighed.norms[places[part]]):
            scores[part] += added
    return scores
