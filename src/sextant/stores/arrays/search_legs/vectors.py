"""Exact nearest vectors: bytes find who could be among the best, floats decide. Knows no embedder.

A byte vector is off by a known slack, so the true score lies within a known distance of the score
over bytes. The k that seem best are scored with floats; whoever could still reach the least of them
is too, and nobody else can be among the best.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numkong
import numpy as np

from sextant.stores.arrays.lists import Array, Ints, joined
from sextant.stores.arrays.snapshots.masks import Allowed
from sextant.stores.arrays.snapshots.view import Sight, Sights, split
from sextant.text.rounding import rounded

_ROUNDING = 1e-5
_BLOCK = 64
_LEAST = -2.0
"""Below every score that a vector can have; what may not be found scores less."""

_NOTHING = np.empty(0, np.int64), np.empty(0, np.float32)


def vector_candidates(
    sights: Sights, allowed: Sequence[Allowed], query: Array, k: int
) -> tuple[Ints, Array]:
    """Return places in order that hold the best k, and their exact scores."""
    code, scale = rounded(query[None])
    lost = query - code[0] * scale
    slack = math.sqrt(lost @ lost)
    looks = [_look(sights, number, one, code, scale) for number, one in enumerate(allowed)]
    places, scores = _laid_out(sights, looks)
    loosest = max(sight.segment.slack for sight in sights)
    off = loosest * (1 + slack) + slack + _ROUNDING
    likely = _reaching(places, scores, _kth_highest(scores, k))
    exact = vector_scores(sights, query, likely)
    if len(likely) < k:
        return likely, exact
    chosen = _reaching(places, scores, float(np.partition(exact, -k)[-k]) - off)
    return chosen, vector_scores(sights, query, chosen)


def vector_scores(sights: Sequence[Sight], query: Array, places: Ints) -> Array:
    """Return the exact scores of places in order; a chunk without a vector has none: NaN."""
    scores = np.full(len(places), np.nan)
    wanted = np.ascontiguousarray(query)[None]
    for number, part, own in split(sights, places):
        segment = sights[number].segment
        if segment.width:
            rows = segment.exact[own]
            near = np.asarray(numkong.cdist(rows, wanted, metric="dot"))[:, 0]
            scores[part] = np.where(segment.scale[own] == 0, np.nan, near)
    return scores


def without_vector(sights: Sequence[Sight], places: Ints) -> Ints:
    """Return which of these places, in order, hold a chunk that has no vector."""
    blind = np.ones(len(places), bool)
    for number, part, own in split(sights, places):
        segment = sights[number].segment
        if segment.width:
            blind[part] = segment.scale[own] == 0
    return places[blind]


def _look(
    sights: Sights, number: int, allowed: Allowed, code: Array, scale: Array
) -> tuple[Ints | None, Array]:
    """Score bytes against bytes: the rows looked at (None: all), and about what each scores."""
    segment, rows = sights[number].segment, allowed.rows
    if not segment.width or not len(segment) or (rows is not None and not len(rows)):
        return _NOTHING
    codes, scales = segment.code, segment.scale
    if rows is not None:
        codes, scales = _few(sights, number, allowed, rows)
    scores = np.asarray(numkong.cdist(code, codes, metric="dot", out_dtype="float32"))[0]
    scores *= scales * scale[0]
    out = scales == 0
    if rows is None and allowed.mask is not None:
        out |= ~allowed.mask
    scores[out] = -np.inf
    return rows, scores


def _laid_out(
    sights: Sights, looks: Sequence[tuple[Ints | None, Array]]
) -> tuple[Ints | None, Array]:
    """Return the places looked at in all segments (None: all), in order, and about their scores."""
    scores = joined([own for _, own in looks])
    if all(rows is None for rows, _ in looks):
        return None, scores
    each = zip(sights, looks, strict=True)
    own = [(np.arange(len(one)) if rows is None else rows) + s.base for s, (rows, one) in each]
    return joined(own), scores


def _reaching(places: Ints | None, scores: Array, floor: float) -> Ints:
    """Return the places, in order, that seem to score at least so much."""
    found = (scores >= max(floor, _LEAST)).nonzero()[0]
    return found if places is None else places[found]


def _few(sights: Sights, number: int, allowed: Allowed, rows: Ints) -> tuple[Array, Array]:
    """Return the bytes and scales of a few rows, kept from the second time a filter is used."""
    key = ("codes", allowed)
    known: tuple[Array, Array] | None = sights.recall(key)
    if known is None:
        segment = sights[number].segment
        known = _rows(segment.code, rows), segment.scale.take(rows)
        if allowed.used:
            sights.keep(key, known, known[0].nbytes + known[1].nbytes)
        allowed.used = True
    return known


def _rows(codes: Array, rows: Ints) -> Array:
    """Copy rows as if each were one value, which is faster than byte by byte."""
    width = codes.shape[1]
    return codes.view(f"V{width}")[:, 0][rows].view(np.int8).reshape(-1, width)


def _kth_highest(scores: Array, k: int) -> float:
    """Return a value that at least k of all reach, found cheaply from the best of each block."""
    whole = len(scores) // _BLOCK * _BLOCK
    tops = scores[:whole].reshape(_BLOCK, -1).max(axis=0)
    values = np.concatenate([tops, scores[whole:]])
    if len(values) < k:
        values = scores
    if len(values) < k:
        return _LEAST
    return float(np.partition(values, len(values) - k)[len(values) - k])
