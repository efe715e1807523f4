"""Exact nearest vectors: bytes find who could be among the best, floats decide. Knows no embedder.

A byte vector is off by a known slack, so the true score lies within a known distance of the score
over bytes. Whoever could still reach the k-th best is scored with floats; nobody else is missing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numkong
import numpy as np

from sextant.stores.arrays.lists import Array, Ints, Mask
from sextant.stores.arrays.quantise import quantise
from sextant.stores.arrays.view import Sight, split

_ROUNDING = 1e-5
_DENSE = 0.35
"""Above this share of allowed chunks, scoring all costs less than copying the allowed ones."""

_BLOCK = 64
_LEAST = -2.0
"""Below every score that a vector can have; what may not be found scores less."""


def vector_candidates(
    sights: Sequence[Sight], masks: Sequence[Mask | None], query: Array, k: int
) -> tuple[Ints, Array]:
    """Return places in order that hold the best k, and their exact scores."""
    bounds = [_bounds(sight, mask, query) for sight, mask in zip(sights, masks, strict=True)]
    floor = max(_LEAST, _kth_highest([low for _, low, _ in bounds], k))
    places = [np.empty(0, np.int64)]
    for sight, (rows, _, high) in zip(sights, bounds, strict=True):
        found = np.flatnonzero(high >= floor)
        places.append((found if rows is None else rows[found]) + sight.base)
    chosen = np.concatenate(places)
    return chosen, vector_scores(sights, query, chosen)


def vector_scores(sights: Sequence[Sight], query: Array, places: Ints) -> Array:
    """Return the exact scores of places in order; a chunk without a vector scores 0."""
    scores = np.zeros(len(places))
    wanted = np.ascontiguousarray(query)[None]
    for sight, part, own in split(sights, places):
        if sight.segment.width:
            rows = sight.segment.exact[own]
            scores[part] = np.asarray(numkong.cdist(rows, wanted, metric="dot"))[:, 0]
    return scores


def _bounds(sight: Sight, mask: Mask | None, query: Array) -> tuple[Ints | None, Array, Array]:
    """Return the rows looked at (None: all), and the least and most that each can score."""
    segment = sight.segment
    if not len(segment) or not segment.width:
        return None, np.empty(0), np.empty(0)
    rows = None
    if mask is not None and np.count_nonzero(mask) < _DENSE * len(segment):
        rows = np.flatnonzero(mask)
        if not len(rows):
            return rows, np.empty(0), np.empty(0)
    code, scale, slack = quantise(query[None])
    codes = segment.code if rows is None else segment.code[rows]
    scales = segment.scale if rows is None else segment.scale[rows]
    slacks = segment.slack if rows is None else segment.slack[rows]
    scores = np.asarray(numkong.cdist(code, codes, metric="dot", out_dtype="float32"))[0]
    middle = scores * (scales * scale[0])
    off = slacks * (1 + slack[0]) + (slack[0] + _ROUNDING)
    low, high = middle - off, middle + off
    out = scales == 0
    if rows is None and mask is not None:
        out |= ~mask
    if out.any():
        low[out] = high[out] = -np.inf
    return rows, low, high


def _kth_highest(parts: Sequence[Array], k: int) -> float:
    """Return a value that at least k of all reach, found cheaply from the best of each block."""
    tops = []
    for part in parts:
        whole = len(part) // _BLOCK * _BLOCK
        tops += [part[:whole].reshape(-1, _BLOCK).max(axis=1), part[whole:]]
    values = np.concatenate(tops)
    if len(values) < k:
        values = np.concatenate(parts)
    if len(values) < k:
        return _LEAST
    return float(np.partition(values, len(values) - k)[len(values) - k])
