"""The best k of scored places, ties broken by chunk id. The same whatever segments they lie in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sextant.stores.arrays.lists import Array, Ints
from sextant.stores.arrays.view import Sight, split


def best(
    sights: Sequence[Sight], places: Ints, scores: Array, k: int
) -> tuple[list[int], list[float]]:
    """Return the k best places, best first, from places in order."""
    if len(places) > k:
        least = np.partition(scores, len(scores) - k)[len(scores) - k]
        above = scores > least
        tied = places[scores == least]
        room = k - int(np.count_nonzero(above))
        if len(tied) > room:
            tied = first_by_id(sights, tied, room)
        places = np.concatenate([places[above], tied])
        scores = np.concatenate([scores[above], np.full(len(tied), least)])
    ids = ids_at(sights, places)
    order = sorted(range(len(places)), key=lambda at: (-scores[at], ids[at]))
    return [int(places[at]) for at in order], [float(scores[at]) for at in order]


def first_by_id(sights: Sequence[Sight], places: Ints, k: int) -> Ints:
    """Return the k places whose ids come first, from places in order."""
    kept = []
    for number, part, own in split(sights, places):
        ranks = sights[number].segment.chunk_rank[own]
        first = np.argpartition(ranks, k)[:k] if len(own) > k else np.arange(len(own))
        kept.append(places[part][first])
    chosen = np.concatenate(kept) if kept else places
    ids = ids_at(sights, chosen)
    order = sorted(range(len(chosen)), key=ids.__getitem__)[:k]
    return chosen[order]


def ids_at(sights: Sequence[Sight], places: Ints) -> list[bytes]:
    """Return the chunk id at each place, in any order of places."""
    ids: list[bytes] = [b""] * len(places)
    order = np.argsort(places, kind="stable")
    for number, part, own in split(sights, places[order]):
        known = sights[number].segment.chunk_ids
        for at, position in zip(order[part].tolist(), own.tolist(), strict=True):
            ids[at] = known[position]
    return ids
