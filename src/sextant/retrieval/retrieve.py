"""Finding passages for one query: by words, by meaning and by the graph. Knows no ranking by 4R."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from typing import TYPE_CHECKING, Protocol

from sextant.ports import Knowledge
from sextant.query import AllOf, ChunksAny, EntitiesAny, Filter, Query
from sextant.retrieval.likeness import likeness, pulls, relevancy
from sextant.retrieval.scoring.keyword_scale import on_bm25_scale
from sextant.retrieval.tuning import Tuning
from sextant.retrieval.walk import walk
from sextant.settings import Settings
from sextant.text.odata.filters import render
from sextant.text.words import Words
from sextant.types import Found, Legs, Linked, Match, Passage, Reach, Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

REACH = Reach()
_ENOUGH = 3
_DIGITS = 9
"""Sums differ in their last digits with the order in which a store holds its entities."""


@dataclass(frozen=True, slots=True)
class Sought:
    """What to find passages for; without a vector, words and the graph must do.

    The depth is how many passages each way of finding brings, 0 as usual.
    """

    text: str
    filter: Filter | None = None
    linked: tuple[Linked, ...] = ()
    evidence: tuple[str, ...] = ()
    vector: NDArray[np.float32] | None = field(default=None, compare=False)
    k: int = 50
    at_least: int = 0
    walk: bool = True
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that may help, and how much of it is about the query, in 0 to 1."""

    passage: Passage
    relevancy: float
    legs: Legs


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The candidates, best first, the commit that they hold at, and what the trace tells of it."""

    candidates: tuple[Candidate, ...]
    commit: int
    filter: str = ""
    facts: tuple[tuple[str, float], ...] = ()
    fallback: str = ""
    frequencies: Mapping[str, int] = field(default_factory=dict)
    chunks: int = 0
    is_behind: bool = False


class SearchMeans(Protocol):
    """What passages are found with."""

    @property
    def store(self) -> Knowledge:
        """Where they are."""

    @property
    def words(self) -> Words:
        """How a text becomes keywords."""

    @property
    def settings(self) -> Settings:
        """What the words of a title count for."""

    @property
    def tuning(self) -> Tuning:
        """The numbers that finding passages hangs on."""


async def retrieve(means: SearchMeans, scope: Scope, sought: Sought) -> Retrieved:
    """Find passages for one query."""
    store, tuning = means.store, means.tuning
    depth = sought.depth or max(tuning.depth, sought.k)
    query = Query(sought.text.strip(), sought.vector, sought.filter, depth, sought.at_least)
    found = await store.index.search(scope, query)
    if not query.text and query.vector is None:
        return Retrieved((), found.commit, chunks=found.chunks, is_behind=found.is_behind)
    matches = _by_id(found)
    walked = _STAYED
    if sought.walk:
        walked = await _walked(store, scope, sought, _likenesses(matches, tuning), tuning)
    reached = walked.reached
    matches |= await _mentioning(store, scope, replace(query, k=tuning.named), walked.hubs)
    most = sought.depth or tuning.depth
    furthest = nsmallest(most, reached, key=lambda name: (-reached[name], name))
    further = [name for name in furthest if name not in matches]
    matches |= await _picked(store, scope, query, further)
    matches = on_bm25_scale(matches, found, query.text, means.words, means.settings.keyword)
    return Retrieved(
        _ordered(matches, reached, tuning)[: sought.k],
        found.commit,
        searched_filter(sought.filter, sought.linked),
        (("mentioning", walked.mentions), ("reached", len(reached))),
        _fallback(sought.linked, walked.mentions) if sought.walk else "",
        found.frequencies,
        found.chunks,
        found.is_behind,
    )


def searched_filter(asked: Filter | None, linked: Iterable[Linked]) -> str:
    """Return what was asked for, and chunks that mention one of these, as OData writes it."""
    ids = tuple(dict.fromkeys(one.entity_id for one in linked))
    tree = _both(asked, EntitiesAny(ids)) if ids else asked
    return render(tree) if tree else ""


async def _mentioning(
    store: Knowledge, scope: Scope, query: Query, hubs: Sequence[str]
) -> dict[str, Match]:
    """Return the best passages that mention a hub: there are too many for a walk to hold."""
    if not hubs:
        return {}
    tree = _both(query.filter, EntitiesAny(tuple(hubs)))
    return _by_id(await store.index.search(scope, replace(query, filter=tree)))


def _fallback(linked: Sequence[Linked], mentions: int) -> str:
    if not linked or mentions >= _ENOUGH:
        return ""
    only = f"only {mentions} passages" if mentions > 1 else "one passage" if mentions else "nothing"
    return f"The entity filter lets {only} through, so all passages were searched as well."


@dataclass(frozen=True, slots=True)
class _Walked:
    """What reached each passage, how many mention a linked entity, and who has too many."""

    reached: Mapping[str, float]
    mentions: int
    hubs: tuple[str, ...]


_STAYED = _Walked({}, 0, ())


async def _walked(
    store: Knowledge, scope: Scope, sought: Sought, alike: Mapping[str, float], tuning: Tuning
) -> _Walked:
    """Walk from the names in the question and from the passages most like it."""
    entities = _entity_seeds(sought.linked, tuning)
    drawn = pulls(alike, tuning)
    chunks = _chunk_seeds(drawn, sought.evidence[: tuning.seeds], tuning)
    web = await store.graph.web(scope, tuple(chunks), tuple(entities), REACH)
    mass = walk(web, entities, chunks, drawn, tuning).tolist()
    counts = {name: int(web.mentions[at]) for name, at in web.entities.items()}
    return _Walked(
        {
            name: round(own, _DIGITS)
            for name, own in zip(web.chunk_ids, mass, strict=True)
            if own > 0
        },
        sum(counts.values()),
        tuple(sorted(name for name, count in counts.items() if count > REACH.per_entity)),
    )


def _entity_seeds(linked: Sequence[Linked], tuning: Tuning) -> dict[str, float]:
    """Return what starts at each entity: a doubtful name is worth far less than a sure one."""
    spans: dict[tuple[int, int], float] = defaultdict(float)
    for one in linked:
        spans[one.start, one.end] += one.score
    worth: dict[str, float] = defaultdict(float)
    for one in linked:
        worth[one.entity_id] += one.score * spans[one.start, one.end]
    whole = sum(worth.values())
    sure = min(1.0, max(spans.values(), default=0.0)) ** 2 * tuning.by_names
    return {name: sure * own / whole for name, own in worth.items() if whole > 0}


def _chunk_seeds(
    drawn: Mapping[str, float], evidence: Sequence[str], tuning: Tuning
) -> dict[str, float]:
    """Return what starts at each passage: at the likest ones, and at those that are evidence."""
    top = nsmallest(tuning.seeds, drawn, key=lambda name: (-drawn[name], name))
    whole = sum(drawn[name] for name in top)
    seeds = {name: tuning.by_likeness * drawn[name] / whole for name in top}
    for name in dict.fromkeys(evidence):
        seeds[name] = seeds.get(name, 0.0) + tuning.by_evidence / len(evidence)
    return seeds


async def _picked(
    store: Knowledge, scope: Scope, query: Query, chunk_ids: Sequence[str]
) -> dict[str, Match]:
    """Return these passages as matches of the query, if its filter lets them through."""
    if not chunk_ids:
        return {}
    narrow = replace(query, filter=_both(query.filter, ChunksAny(tuple(chunk_ids))))
    if query.vector is None:  # passages without a word of the question are no matches of its text
        bare = _by_id(await store.index.search(scope, replace(narrow, text="")))
    else:
        bare = {}
    return bare | _by_id(await store.index.search(scope, narrow))


def _by_id(found: Found) -> dict[str, Match]:
    return {one.passage.chunk.id: one for one in found.matches}


def _both(one: Filter | None, other: Filter) -> Filter:
    return other if one is None else AllOf((one, other))


def _likenesses(matches: Mapping[str, Match], tuning: Tuning) -> dict[str, float]:
    best = max((one.keyword or 0.0 for one in matches.values()), default=0.0)
    return {name: likeness(one.keyword, best, one.vector, tuning) for name, one in matches.items()}


def _ordered(
    matches: Mapping[str, Match], reached: Mapping[str, float], tuning: Tuning
) -> tuple[Candidate, ...]:
    """Return the matches as candidates, best first, ties by id."""
    alike = _likenesses(matches, tuning)
    candidates = [
        Candidate(
            one.passage,
            round(relevancy(alike[name], reached.get(name, 0.0), tuning), _DIGITS),
            Legs(one.keyword, one.vector, reached.get(name)),
        )
        for name, one in matches.items()
    ]
    return tuple(sorted(candidates, key=lambda one: (-one.relevancy, one.passage.chunk.id)))
