"""What is seen of an edge, how edges rank, and which chunks are shown as evidence.

Nodes and kinds are numbers here. Where edges tie, the order of ids decides, which only the truth
knows; it is asked for through ``names``, and only for edges that could be chosen.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from operator import attrgetter
from typing import NamedTuple

from sextant.stores.arrays.lists import Array, Ints
from sextant.stores.arrays.snapshots.view import Sight
from sextant.types import Relation

Names = Callable[[Iterable[int]], Mapping[int, str]]
MOST_EVIDENCE = 8
_AHEAD = 2
"""With this many times the evidence that is shown, some of it may be hidden or the same."""

Key = tuple[int, int, int]
"""Source, target and kind: what tells an edge from all others."""


Ends = tuple[int, ...]
"""The places in a key at which a node may stand for its edges to be crossed: 0 out, 1 in."""


@dataclass(slots=True, eq=False)
class Edge:
    """What is seen of an edge; parts are where segments tell of it.

    How it ranks and what a reader sees of it are filled in when first asked for, and stay.
    """

    key: Key
    confidence: float
    weight: int
    support: int
    parts: tuple[int, ...]
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


class Values(NamedTuple):
    """What is seen of some edges of a segment, and where they stand among those of all."""

    pair: Ints
    kind: Ints
    confidence: Array
    weight: Ints
    support: Ints
    part: Ints


def values_of(sight: Sight, places: Ints, base: int) -> Values:
    """Return what is seen of the edges at these places of a segment; of some that is nothing."""
    column = sight.segment.column
    values = Values(
        column("edge.pair").take(places),
        column("edge.kind").take(places),
        column("edge.confidence").take(places),
        column("edge.weight").take(places),
        column("edge.support").take(places),
        places + base,
    )
    return values if sight.whole else _without_hidden(sight, places, values)


def _without_hidden(sight: Sight, places: Ints, values: Values) -> Values:
    faded = sight.faded
    hit = faded.mask.take(places).nonzero()[0]
    if not len(hit):
        return values
    at = faded.edges.searchsorted(places.take(hit))
    values.confidence[hit] = faded.confidence.take(at)
    values.weight[hit] = faded.weight.take(at)
    values.support[hit] = left = faded.support.take(at)
    if left.all():
        return values
    there = values.support > 0
    return Values(*(column[there] for column in values))


def bases(sights: Sequence[Sight]) -> list[int]:
    """Return where the edges of each segment start among those of all, and where they end."""
    counts = (len(sight.segment.column("edge.pair")) for sight in sights)
    return list(accumulate(counts, initial=0))


def evidence_ids(
    sights: Sequence[Sight], edges: Sequence[Edge], most: int
) -> Iterator[tuple[str, ...]]:
    """Yield for each edge the ids of its evidence chunks, in order, up to a number."""
    starts = bases(sights)
    for edge in edges:
        shown: list[tuple[str, ...]] = []
        for part in edge.parts:
            number = bisect_right(starts, part, 1) - 1 if len(sights) > 1 else 0
            shown.append(_evidence(sights[number], part - starts[number], most))
        yield shown[0] if len(shown) == 1 else tuple(sorted(chain(*shown))[:most])


def _evidence(sight: Sight, edge: int, most: int) -> tuple[str, ...]:
    """Return the ids of the first chunks that tell of one of a segment's edges."""
    told, ids = sight.segment.told, sight.segment.chunk_ids
    start, end = told.starts[edge], told.starts[edge + 1]
    if end == start + 1:  # who sees the edge sees what alone tells of it
        chunk = told.chunks[start]
        return (ids.text(chunk),) if chunk >= 0 else ()
    ahead = min(end, start + _AHEAD * most)
    chunks = _near(sight, start, ahead)
    if ahead < end and len(chunks) < most:
        chunks = _far(sight, start, end)
    return tuple(map(ids.text, chunks[:most]))


def _near(sight: Sight, start: int, end: int) -> list[int]:
    """Return the visible chunks among a few contributions to an edge, each once."""
    told, seen = sight.segment.told, sight.documents.data
    each = zip(told.chunks[start:end], told.documents[start:end], strict=True)
    return list(dict.fromkeys([chunk for chunk, teller in each if chunk >= 0 and seen[teller]]))


def _far(sight: Sight, start: int, end: int) -> list[int]:
    """Do the same for many."""
    chunks = sight.segment.column("told.chunk")[start:end]
    seen = sight.documents.take(sight.segment.column("told.document")[start:end])
    return list(dict.fromkeys(chunks[seen & (chunks >= 0)].tolist()))
