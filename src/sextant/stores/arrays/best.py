"""The best k of scored places, ties broken by chunk id. The same whatever segments they lie in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sextant.stores.arrays.lists import Array, Ints
from sextant.stores.arrays.view import Sight, split

_FEW = 32
"""Up to so many ids, going through them costs less than setting arrays up."""


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


def ids_at(sights: Sequence[Sight], places: Sequence[int] | Ints) -> list[bytes]:
    """Return the chunk id at each place, in any order of places."""
    if len(sights) == 1:
        return sights[0].segment.chunk_ids.pick(places)
    if len(places) <= _FEW:
        return [_id_at(sights, int(place)) for place in places]
    ids: list[bytes] = [b""] * len(places)
    placed = np.asarray(places, np.int64)
    order = np.argsort(placed, kind="stable")
    for number, part, own in split(sights, placed[order]):
        found = sights[number].segment.chunk_ids.pick(own.tolist())
        for at, name in zip(order[part].tolist(), found, strict=True):
            ids[at] = name
    return ids


def _id_at(sights: Sequence[Sight], place: int) -> bytes:
    number = len(sights) - 1
    while sights[number].base > place:
        number -= 1
    return sights[number].segment.chunk_ids[place - sights[number].base]
