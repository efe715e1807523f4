"""Which tags and source types the visible documents have, and how many each. Knows no filter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np

from sextant.stores.arrays.segments.segment import Segment, StringIndex
from sextant.stores.arrays.snapshots.view import Sights
from sextant.types import Facets

_KEY = "facets"


def facets(sights: Sights) -> Facets:
    """Count the documents of each tag and source type."""
    known: Facets | None = sights.recall(_KEY)
    if known is None:
        tags = _count(sights, lambda segment: segment.tags)
        types = _count(sights, lambda segment: segment.types)
        known = Facets(tags, types)
        sights.keep(_KEY, known, sum(len(key) + 100 for key in (*tags, *types)))
    return known


def _count(sights: Sights, index_of: Callable[[Segment], StringIndex]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for sight in sights:
        index = index_of(sight.segment)
        keys = index.keys.listed()
        owners = np.repeat(np.arange(len(keys)), np.diff(index.lists.starts))
        seen = np.bincount(owners[sight.documents[index.lists.items]], minlength=len(keys))
        counts.update(
            {key.decode(): count for key, count in zip(keys, seen.tolist(), strict=True) if count}
        )
    return {key: counts[key] for key in sorted(counts) if key}
