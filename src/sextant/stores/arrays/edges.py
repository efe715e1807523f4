"""An edge by itself, how edges rank, and which chunks are shown as evidence. Adds nothing up.

Nodes and kinds are numbers here. Where edges tie, the order of ids decides, which only the truth
knows; it is asked for through ``names``, and only for edges that could be chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from sextant.stores.arrays.best import first_by_id, ids_at
from sextant.stores.arrays.lists import Ints, distinct
from sextant.stores.arrays.view import Sight
from sextant.types import Relation

Names = Callable[[Iterable[int]], Mapping[int, str]]
MOST_EVIDENCE = 8
_MANY = 4
"""With this many times the evidence that is shown, ranks are compared before ids are read."""


Places = list[int] | Ints
"""Where chunks stand; an array may hold -1 for no chunk as well."""

Key = tuple[int, int, int]
"""Source, target and kind: what tells an edge from all others."""


Ends = tuple[int, ...]
"""The places in a key at which a node may stand for its edges to be crossed: 0 out, 1 in."""


@dataclass(slots=True, eq=False)
class Edge:
    """What contributions added up to; evidence is where its chunks stand.

    How it ranks and what a reader sees of it are filled in when first asked for, and stay.
    """

    key: Key
    confidence: float
    weight: int
    support: int
    evidence: Places
    rank: tuple[float, int, str, str, str] | None = None
    shown: Relation | None = None


@dataclass(frozen=True, slots=True)
class Best:
    """The best edges of a node; capped if it has more."""

    edges: Sequence[Edge]
    capped: bool


def strongest(edges: Sequence[Edge], k: int, names: Names) -> list[Edge]:
    """Return the k best edges, best first: by confidence, weight, then kind and end ids."""
    rivals = _level_with(edges, k) if len(edges) > k else edges
    rank(rivals, names)
    return sorted(rivals, key=attrgetter("rank"))[:k]


def rank(edges: Sequence[Edge], names: Names) -> None:
    """Let edges know how they rank."""
    new = [edge for edge in edges if edge.rank is None]
    known = names({number for edge in new for number in edge.key}) if new else {}
    for edge in new:
        source, target, kind = edge.key
        edge.rank = (-edge.confidence, -edge.weight, known[kind], known[source], known[target])


def _level_with(edges: Sequence[Edge], k: int) -> list[Edge]:
    """Return the k best edges, and all that could stand in for the last of them."""
    if not k:
        return []
    ranks = sorted((-edge.confidence, -edge.weight) for edge in edges)
    return [edge for edge in edges if (-edge.confidence, -edge.weight) <= ranks[k - 1]]


def evidence_ids(
    sights: Sequence[Sight], edges: Sequence[Edge], most: int
) -> Iterator[tuple[str, ...]]:
    """Yield for each edge the ids of its evidence chunks, in order, up to a number."""
    places: list[int] = []
    ends: list[int] = []
    for edge in edges:
        own = edge.evidence
        short = isinstance(own, list) and len(own) <= _MANY * most
        places += own if short else _first(sights, own, most)
        ends.append(len(places))
    ids = [name.decode() for name in ids_at(sights, places)]
    start = 0
    for end in ends:
        yield (ids[start],) if end == start + 1 else tuple(sorted(set(ids[start:end]))[:most])
        start = end


def _first(sights: Sequence[Sight], places: Places, most: int) -> list[int]:
    """Return places that hold the first ids; of many, only those."""
    if len(places) > _MANY * most:
        every = distinct(np.asarray(places))
        places = first_by_id(sights, every[every >= 0], most)
    return [place for place in np.asarray(places).tolist() if place >= 0]
