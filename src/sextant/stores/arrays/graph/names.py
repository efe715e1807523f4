"""Which entities bear a name: exactly, as a beginning, as words in it, or nearly.

Names come normalised.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sextant.stores.arrays.lists import distinct
from sextant.stores.arrays.snapshots.view import Sight
from sextant.types import NameMode

LEAST_LIKENESS = 0.75


Bearer = tuple[float, str, int]
"""How like the name is that somebody bears, that name, and the entity's number."""


def bearers(
    sights: Sequence[Sight], names: Sequence[str], mode: NameMode
) -> dict[str, list[Bearer]]:
    """Return for each name every visible bearer."""
    found: dict[str, list[Bearer]] = {name: [] for name in names}
    for sight in sights:
        for name, at, score in _fitting(sight, names, mode):
            lists = sight.segment.names.lists
            visible = sight.documents[lists[at]]
            spelling = sight.segment.names.keys[at].decode()
            for node in distinct(lists.said_at(at)[visible]).tolist():
                found[name].append((score, spelling, node))
    return found


def _fitting(
    sight: Sight, names: Sequence[str], mode: NameMode
) -> Iterator[tuple[str, int, float]]:
    """Yield each name with the positions of those that fit it; many are found exactly at once."""
    if mode == NameMode.EXACT:
        places = sight.segment.names.keys.find_all([name.encode() for name in names])
        yield from ((name, at, 1.0) for name, at in zip(names, places, strict=True) if at >= 0)
        return
    for name in names:
        yield from ((name, at, score) for at, score in _near(sight, name, mode))


def _near(sight: Sight, name: str, mode: NameMode) -> Iterator[tuple[int, float]]:
    keys = sight.segment.names.keys
    if mode == NameMode.PREFIX:
        beginning = name.encode()
        at = keys.place(beginning)
        while at < len(keys) and keys[at].startswith(beginning):
            yield at, len(name) / max(1, len(keys[at].decode()))
            at += 1
    elif mode == NameMode.WORD:
        yield from (
            (at, len(name) / len(keys[at].decode())) for at in keys.with_words(name.encode())
        )
    else:
        # Forty modules that only somebody needs who misspells a name.
        from rapidfuzz import fuzz, process

        found = process.extract(
            name,
            sight.segment.name_list,
            scorer=fuzz.ratio,
            score_cutoff=LEAST_LIKENESS * 100,
            limit=None,
        )
        yield from ((at, round(score / 100, 6)) for _, score, at in found)
