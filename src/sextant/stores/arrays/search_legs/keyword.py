"""Exact BM25 over what a persona sees, from rare words to common ones. Knows no text, only terms.

Bounds decide what is looked at, never what it scores: parts are added in one order for every chunk.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sextant.stores.arrays.lists import Array, Ints, Mask, distinct, joined
from sextant.stores.arrays.search_legs.terms import (
    Weighed,
    Weighing,
    is_common,
    parts_of,
    table_of,
)
from sextant.stores.arrays.snapshots.view import Sights

_COSTLY = 8_000
"""A term in more chunks than this may cost more to add than a look at how high the bar is."""

_NEAR = 0.6
"""Below this share of what is to come, a second look would hardly reach it."""

_AT_ONCE = 4
_RIVALS = 2
"""The best k in the end are sought among so many times k that are best so far."""

_CROWD = 16
"""Above one in so many places, a scan of all costs less than one of those touched."""

_ROWS, _ROOMY = 64, 8
"""The best of every 64th place stand in for the best of all, if there are many more than asked."""

_SAFE = 1.0 - 1e-9
"""Bounds are held against sums of rounded numbers: a hair's breadth keeps them true."""


def keyword_candidates(weighed: Weighed, mask: Mask | None, k: int) -> tuple[Ints, Array]:
    """Return places in order that hold the best k, and their exact scores.

    Words are added for all their chunks while chunks that hold only the words to come could still
    be among the best; the common words that remain are added where it matters.
    """
    terms, rest = weighed.terms, _sums_from(weighed.terms)
    done = sum(term.frequency <= _COSTLY for term in terms)
    seen = _add(weighed, done, mask, _Seen(np.empty(0), np.empty(0, np.int64), 0))
    threshold, lifted = 0.0, 0
    while done < len(terms) and threshold * _SAFE <= rest[done]:
        promising = not lifted or threshold > _NEAR * rest[done]
        if done > lifted and promising:
            threshold, lifted = max(threshold, _lift(weighed, seen, k)), done
            continue
        done += 1
        seen = _add(weighed, done, mask, seen)
    places, threshold = _worth_a_look(seen, threshold, rest[done], k)
    scores = seen.sums.take(places)
    while done < len(terms):
        scores = _complete(weighed, done, done + _AT_ONCE, places, scores)
        done = min(done + _AT_ONCE, len(terms))
        if done < len(terms) and len(places) > k:
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


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the first ``done`` terms add up to at every place, and the places that hold one.

    A place is in the pool once for every term that it holds. No sums while the pool is empty.
    """

    sums: Array
    pool: Ints
    done: int

    @property
    def crowded(self) -> bool:
        """Whether a look at every place costs less than one at the pool."""
        return len(self.pool) * _CROWD > len(self.sums)

    def table(self, k: int) -> Array | None:
        """Return the sums as rows of so many columns that their best stand in for the best k.

        None if there are too few for that, or if the pool is looked at instead. There, a place
        comes at most once for each term: so many times k hold at least k places.
        """
        width = len(self.sums) // _ROWS
        roomy = self.crowded and width >= _ROOMY * k
        return self.sums[: width * _ROWS].reshape(_ROWS, width) if roomy else None


def _add(weighed: Weighed, end: int, mask: Mask | None, seen: _Seen) -> _Seen:
    """Add the parts of the terms up to here to every place that holds them."""
    if end == seen.done:
        return seen
    found = [parts_of(weighed, term) for term in weighed.terms[seen.done : end]]
    places, parts = joined([one for one, _ in found]), joined([part for _, part in found])
    if mask is not None:
        keep = mask.take(places)
        places, parts = places[keep], parts[keep]
    if not len(places):
        return _Seen(seen.sums, seen.pool, end)
    if not len(seen.pool):
        return _Seen(np.bincount(places, parts, len(weighed.norms)), places, end)
    np.add.at(seen.sums, places, parts)  # adds in the order given, as bincount does
    return _Seen(seen.sums, joined([seen.pool, places]), end)


def _lift(weighed: Weighed, seen: _Seen, k: int) -> float:
    """Return a score that k chunks are known to reach: the best so far, with more terms added."""
    places = _leaders(seen, _RIVALS * k)
    reached = seen.sums.take(places)
    return _kth(_complete(weighed, seen.done, seen.done + _AT_ONCE, places, reached), k)


def _leaders(seen: _Seen, k: int) -> Ints:
    """Return places in order that are about the best k so far, or all if there are no more."""
    if (table := seen.table(k)) is None:
        pool, most = seen.pool, k * seen.done
        if len(pool) > most:
            pool = pool[seen.sums.take(pool).argpartition(len(pool) - most)[-most:]]
        return distinct(pool)
    width = table.shape[1]
    columns = table.max(axis=0).argpartition(width - k)[-k:]
    places = np.sort(table[:, columns].argmax(axis=0) * width + columns)
    return places[seen.sums.take(places) > 0]


def _reached(seen: _Seen, k: int) -> float:
    """Return a sum that k places are known to reach so far, or 0."""
    if (table := seen.table(k)) is not None:
        return _kth(table.max(axis=0), k)
    return _kth(seen.sums.take(seen.pool), k * max(1, seen.done))


def _kth(values: Array, k: int) -> float:
    """Return the k-th highest value, or 0 if there are fewer."""
    if len(values) < k:
        return 0.0
    values = values.copy()
    values.partition(len(values) - k)
    return float(values[len(values) - k])


def _worth_a_look(seen: _Seen, threshold: float, rest: float, k: int) -> tuple[Ints, float]:
    """Return the places, in order, that could be among the best, and the score to beat."""
    sums, pool = seen.sums, seen.pool
    threshold = threshold or _reached(seen, k)
    least = threshold * _SAFE - rest
    if seen.crowded:
        return (sums >= least if least > 0 else sums > 0).nonzero()[0], threshold
    reached = sums.take(pool)
    return distinct(pool[reached >= least if least > 0 else reached > 0]), threshold


def _complete(weighed: Weighed, start: int, end: int, places: Ints, scores: Array) -> Array:
    """Return the scores of these places after adding the parts of some terms, one by one."""
    norms = weighed.norms.take(places)
    for term in weighed.terms[start:end]:
        if is_common(weighed, term):
            counts = table_of(weighed.sights, term).take(places)
            parts = term.weight * counts
            parts /= counts + norms
            scores = scores + parts
        else:
            holders, parts = parts_of(weighed, term)
            where = holders.searchsorted(places)
            held = holders.take(where, mode="clip") == places
            scores = scores + parts.take(where, mode="clip") * held
    return scores
