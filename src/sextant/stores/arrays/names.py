"""Which entities bear a name: exactly, as a beginning, or nearly. Names come normalised."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from rapidfuzz import fuzz, process

from sextant.stores.arrays.view import Sight
from sextant.types import NameMode

LEAST_LIKENESS = 0.75


def bearers(sights: Sequence[Sight], name: str, mode: NameMode) -> Iterator[tuple[float, str, int]]:
    """Yield (likeness, name, entity number) for every visible bearer."""
    for sight in sights:
        for at, score in _fitting(sight, name, mode):
            lists = sight.segment.names.lists
            visible = sight.documents[lists[at]]
            for node in np.unique(lists.said_at(at)[visible]).tolist():
                yield score, sight.segment.names.keys[at].decode(), node


def _fitting(sight: Sight, name: str, mode: NameMode) -> Iterator[tuple[int, float]]:
    keys = sight.segment.names.keys
    if mode == NameMode.EXACT:
        at = keys.find(name.encode())
        if at >= 0:
            yield at, 1.0
    elif mode == NameMode.PREFIX:
        beginning = name.encode()
        at = keys.place(beginning)
        while at < len(keys) and keys[at].startswith(beginning):
            yield at, len(name) / max(1, len(keys[at].decode()))
            at += 1
    else:
        found = process.extract(
            name,
            sight.segment.name_list,
            scorer=fuzz.ratio,
            score_cutoff=LEAST_LIKENESS * 100,
            limit=None,
        )
        yield from ((at, round(score / 100, 6)) for _, score, at in found)
