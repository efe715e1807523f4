"""The best k of scored places, ties broken by chunk id. The same whatever segments they lie in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sextant.stores.arrays.lists import Array, Ints
from sextant.stores.arrays.snapshots.view import FEW, Sight, locate, split


def best(
    sights: Sequence[Sight], places: Ints, scores: Array, k: int
) -> tuple[list[int], list[float]]:
    """Return the k best places, best first, from places in order."""
    if len(places) > k:
        least = np.partition(scores, len(scores) - k)[len(scores) - k]
        kept = scores >= least
        places, scores = places[kept], scores[kept]
        if len(places) > k:
            above = scores > least
            tied = first_by_id(sights, places[~above], k - int(np.count_nonzero(above)))
            places = np.concatenate([places[above], tied])
            scores = np.concatenate([scores[above], np.full(len(tied), least)])
    listed = places.tolist()
    ordered = sorted(zip((-scores).tolist(), ids_at(sights, listed), listed, strict=True))
    return [place for _, _, place in ordered], [-score for score, _, _ in ordered]


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


def ids_at(sights: Sequence[Sight], places: Sequence[int] | Ints) -> list[bytes]:
    """Return the chunk id at each place, in any order of places."""
    if len(sights) == 1:
        return sights[0].segment.chunk_ids.pick(places)
    if len(places) <= FEW:
        located = (locate(sights, int(place)) for place in places)
        return [segment.chunk_ids[own] for segment, own in located]
    ids: list[bytes] = [b""] * len(places)
    placed = np.asarray(places, np.int64)
    order = np.argsort(placed, kind="stable")
    for number, part, own in split(sights, placed[order]):
        found = sights[number].segment.chunk_ids.pick(own.tolist())
        for at, name in zip(order[part].tolist(), found, strict=True):
            ids[at] = name
    return ids
