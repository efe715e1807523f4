"""Edges of which a reader does not see every contribution, and what is left of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sextant.stores.arrays.lists import Array, Ints, Mask, distinct, spans
from sextant.stores.arrays.segments.segment import Segment


@dataclass(frozen=True, slots=True)
class Faded:
    """Which edges of a segment are faded; their places in order, and what they add up to still."""

    mask: Mask
    edges: Ints
    confidence: Array
    weight: Ints
    support: Ints


def fade(segment: Segment, documents: Mask) -> Faded:
    """Take the contributions of all other documents out of a segment's edges."""
    starts, told = segment.column("edge.starts"), segment.column("told.document")
    hidden = (~documents).take(told).nonzero()[0]
    edges = distinct(starts.searchsorted(hidden, side="right") - 1)
    mask = np.zeros(len(starts) - 1, bool)
    mask[edges] = True
    items, owners = spans(starts.take(edges), starts.take(edges + 1))
    seen = documents.take(told.take(items))
    items, owners = items[seen], owners[seen]
    confidence, weight = np.zeros(len(edges)), np.zeros(len(edges), np.int64)
    np.maximum.at(confidence, owners, segment.column("told.confidence").take(items))
    np.add.at(weight, owners, segment.column("told.weight").take(items))
    return Faded(mask, edges, confidence, weight, np.bincount(owners, minlength=len(edges)))
