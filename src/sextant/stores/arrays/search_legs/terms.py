"""What a term is worth at each place that holds it, remembered with the snapshot. Ranks nothing.

A chunk counts as its fields repeated by their weights. Numbers of chunks, lengths and frequencies
are those of the visible chunks alone, so what cannot be seen cannot be felt in a score either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sextant.stores.arrays.lists import Array, Ints, joined
from sextant.stores.arrays.snapshots.view import Sights
from sextant.text.bm25 import FULL, K1, B, rarity

_FLAT = K1 * (1 - B)
_COMMON = 24
"""A term that more than one in so many chunks holds is looked up in a table of all chunks."""

_WEIGHING_BYTES = 400


@dataclass(frozen=True, slots=True)
class Weighing:
    """A term's part in scores: weight · tf / (tf + norm), which is at most its bound.

    ``places`` says where it stands in the vocabulary of each sight, or -1.
    """

    term: bytes
    repeats: int
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


@dataclass(frozen=True, slots=True)
class _Extent:
    """How many chunks are seen, and how a chunk's length tells in its norm."""

    chunks: int
    slope: float


def weigh(sights: Sights, terms: Iterable[str]) -> Weighed:
    """Weigh the terms of a query; a repeated term counts again."""
    repeats = Counter(term.encode() for term in terms)
    extent = _extent(sights)
    weighed = [
        term for term in map(sights.recall, (("term", *each) for each in repeats.items())) if term
    ]
    if len(weighed) < len(repeats):
        known = {term.term for term in weighed}
        weighed += _weigh_anew(sights, {k: n for k, n in repeats.items() if k not in known}, extent)
    found = [term for term in weighed if term.frequency]
    found.sort(key=lambda term: (term.frequency, term.term))
    return Weighed(sights, sights.norms(_FLAT, extent.slope), found)


def _extent(sights: Sights) -> _Extent:
    total = sum(sight.count for sight in sights)
    length = sum(sight.length for sight in sights)
    return _Extent(total, K1 * B * total / length if length else 0.0)


def _weigh_anew(sights: Sights, repeats: Mapping[bytes, int], extent: _Extent) -> list[Weighing]:
    keys = sorted(repeats)
    found = zip(*(sight.segment.terms.keys.find_all(keys) for sight in sights), strict=True)
    weighed = []
    for key, places in zip(keys, found, strict=True):
        one = _weigh_one(sights, key, repeats[key], places, extent)
        sights.keep(("term", key, repeats[key]), one, _WEIGHING_BYTES)
        weighed.append(one)
    return weighed


def _weigh_one(
    sights: Sights, key: bytes, repeats: int, places: tuple[int, ...], extent: _Extent
) -> Weighing:
    held = [(sight, place) for sight, place in zip(sights, places, strict=True) if place >= 0]
    frequency = sum(sight.frequency(place) for sight, place in held)
    if not frequency:
        return Weighing(key, repeats, 0, 0.0, 0.0, places)
    weight = repeats * rarity(frequency, extent.chunks) * FULL
    share = max(sight.segment.term_share(place, _FLAT, extent.slope) for sight, place in held)
    return Weighing(key, repeats, frequency, weight, weight * share, places)


def parts_of(weighed: Weighed, term: Weighing) -> tuple[Ints, Array]:
    """Return every place that holds a term, and the term's part in its score."""
    sights, key = weighed.sights, ("parts", term.term, term.repeats)
    known: tuple[Ints, Array] | None = sights.recall(key)
    if known is None:
        held = [(sight, at) for sight, at in zip(sights, term.places, strict=True) if at >= 0]
        lists = [(sight.segment.terms.lists, sight.base, at) for sight, at in held]
        places = joined([own[at] + np.int64(base) for own, base, at in lists])
        counts = joined([own.said_at(at) for own, _, at in lists]).astype(np.float64)
        known = places, _parts(term.weight, counts, weighed.norms.take(places))
        sights.keep(key, known, places.nbytes + counts.nbytes)
    return known


def _parts(weight: float, counts: Array, norms: Array) -> Array:
    """Return weight · counts / (counts + norms), made in the place of both."""
    norms += counts
    counts *= weight
    counts /= norms
    return counts


def is_common(weighed: Weighed, term: Weighing) -> bool:
    """Whether so many chunks hold a term that a table of all of them costs less than a search."""
    return term.frequency * _COMMON > len(weighed.norms)


def table_of(sights: Sights, term: Weighing) -> Array:
    """Return how often the chunk at every place holds a term."""
    key = ("table", term.term)
    table: Array | None = sights.recall(key)
    if table is None:
        held = [(sight, at) for sight, at in zip(sights, term.places, strict=True) if at >= 0]
        most = max(sight.segment.most_times(at) for sight, at in held)
        table = np.zeros(sum(len(sight.segment) for sight in sights), np.min_scalar_type(most))
        for sight, at in held:
            lists = sight.segment.terms.lists
            table[sight.base :][lists[at]] = lists.said_at(at)
        sights.keep(key, table, table.nbytes)
    return table
