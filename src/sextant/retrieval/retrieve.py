"""Finding passages for one query: by words, by meaning and by the graph. Knows no ranking by 4R."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from typing import TYPE_CHECKING, Protocol

from sextant.ports import Knowledge
from sextant.query import Filter, Query
from sextant.retrieval.beside import beside
from sextant.retrieval.late_vectors import LateVectors
from sextant.retrieval.legs.filtered import (
    by_id,
    entities_filter,
    filter_text,
    pick_chunks,
    search_by_entities,
    search_mentions,
)
from sextant.retrieval.likeness import expected_nearness, likeness, pulls, relevancy
from sextant.retrieval.scoring.keyword_scale import on_bm25_scale
from sextant.retrieval.tuning import Tuning
from sextant.retrieval.walk import walk
from sextant.settings import Settings
from sextant.text.words import Words
from sextant.types import Found, Legs, Linked, Match, Passage, Reach, Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Searched = Awaitable[Found]
"""What a search of all passages brings, which may be under way."""

REACH = Reach()
_ENOUGH = 3
_DIGITS = 9
"""Sums differ in their last digits with the order in which a store holds its entities."""


@dataclass(frozen=True, slots=True)
class Sought:
    """What to find passages for; without a vector, words and the graph must do.

    The depth is how many passages each way of finding brings at most, 0 as usual; k is how many
    there are in all. Around are entities that the graph leads to from the linked ones.
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
    around: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that may help, how much it is about the query, in 0 to 1, and what found it."""

    passage: Passage
    relevancy: float
    legs: Legs
    found_by: tuple[str, ...] = ()


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
    is_empty: bool = False


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


async def search_all(means: SearchMeans, scope: Scope, sought: Sought) -> Found:
    """Search all passages, which nothing has to be known for of who is linked."""
    return await means.store.index.search(scope, _query(sought, means.tuning))


def _query(sought: Sought, tuning: Tuning) -> Query:
    depth = sought.depth or max(tuning.depth, sought.k)
    return Query(sought.text.strip(), sought.vector, sought.filter, depth, sought.at_least)


async def retrieve(
    means: SearchMeans,
    scope: Scope,
    sought: Sought,
    late: LateVectors | None = None,
    searched: Searched | None = None,
) -> Retrieved:
    """Find passages for one query; those without vectors may be read while it waits.

    The search of all passages may be under way already. Who is linked is searched for beside it.
    """
    tuning, query = means.tuning, _query(sought, means.tuning)
    async with beside(_among_linked(means, scope, sought, query)) as among:
        found = await (searched or search_all(means, scope, sought))
        matches = by_id(found)
        if late and not _is_blank(query):
            by_words = sorted(matches, key=lambda name: (-(matches[name].keyword or 0.0), name))
            matches = await late.filled(query.vector, matches, by_words[: late.most // 2])
        graph = _STAYED
        if sought.walk and not _is_blank(query):
            graph = await _by_graph(means, scope, sought, query, matches, among)
    is_empty = await _is_empty(means.store, scope, found)
    if _is_blank(query):
        return Retrieved(
            (),
            found.commit,
            chunks=found.chunks,
            is_behind=found.is_behind,
            is_empty=is_empty,
        )
    found_by = {"search": frozenset(matches), **graph.found_by}
    matches |= graph.matches
    matches = on_bm25_scale(matches, found, query.text, means.words, means.settings.keyword)
    candidates = _ordered(matches, graph.reached, found_by, tuning)
    if late and not all(one.is_embedded for one in matches.values()):
        best = [one.passage.chunk.id for one in candidates]
        matches = await late.filled(query.vector, matches, best[: late.most])
        candidates = _ordered(matches, graph.reached, found_by, tuning)
    return Retrieved(
        candidates[: sought.k],
        found.commit,
        filter_text(graph.filter or sought.filter),
        graph.facts,
        graph.fallback,
        found.frequencies,
        found.chunks,
        found.is_behind,
        is_empty,
    )


def _is_blank(query: Query) -> bool:
    return not query.text and query.vector is None


async def _is_empty(store: Knowledge, scope: Scope, found: Found) -> bool:
    """Whether there is nothing at all that the scope sees.

    An engine whose scores are not exact cannot say. One that finds nothing and counts no chunks may
    only not count them, so it is asked for any.
    """
    if not found.has_exact_scores or found.chunks or found.matches:
        return False
    return not (await store.index.search(scope, Query("", k=1))).matches


@dataclass(frozen=True, slots=True)
class _ByGraph:
    """What the graph adds: passages, by which leg, and the filter that one of them was under."""

    matches: Mapping[str, Match] = field(default_factory=dict)
    found_by: Mapping[str, Collection[str]] = field(default_factory=dict)
    reached: Mapping[str, float] = field(default_factory=dict)
    filter: Filter | None = None
    facts: tuple[tuple[str, float], ...] = ()
    fallback: str = ""


_STAYED = _ByGraph()


async def _among_linked(
    means: SearchMeans, scope: Scope, sought: Sought, query: Query
) -> Sequence[str]:
    """Search among the passages of those who are linked and round them; no score is of use."""
    if not sought.linked or not sought.walk or _is_blank(query):
        return ()
    few = replace(_few(sought, query, means.tuning), filter=_tree(sought))
    return await search_by_entities(means.store, scope, few, sought.linked)


async def _by_graph(
    means: SearchMeans,
    scope: Scope,
    sought: Sought,
    query: Query,
    known: Mapping[str, Match],
    among_linked: Awaitable[Sequence[str]],
) -> _ByGraph:
    """Walk, and look at whom that led to and who is linked; scores are the query's own."""
    store, tuning = means.store, means.tuning
    walked = await _walked(store, scope, sought, _likenesses(known, tuning), tuning)
    reached = walked.reached
    most = sought.depth or tuning.depth
    furthest = nsmallest(most, reached, key=lambda name: (-reached[name], name))
    among = await among_linked
    further = [one for one in dict.fromkeys([*furthest, *among]) if one not in known]
    few = _few(sought, query, tuning)
    async with beside(search_mentions(store, scope, few, walked.hubs)) as mentioning:
        picked = await pick_chunks(store, scope, query, further)
        hubs = await mentioning
    return _ByGraph(
        {**picked, **hubs},
        {"hubs": hubs.keys(), "walk": frozenset(furthest), "entities": frozenset(among)},
        reached,
        _tree(sought),
        (("mentioning", walked.mentions), ("reached", len(reached)), ("among", len(among))),
        _fallback(len(among)) if sought.linked else "",
    )


def _few(sought: Sought, query: Query, tuning: Tuning) -> Query:
    return replace(query, k=min(tuning.named, sought.depth or tuning.depth))


def _tree(sought: Sought) -> Filter | None:
    return entities_filter(sought.filter, sought.linked, sought.around)


def _fallback(count: int) -> str:
    if count >= _ENOUGH:
        return ""
    only = f"only {count} passages" if count > 1 else "one passage" if count else "nothing"
    return f"The entity filter lets {only} through, so all passages were searched as well."


@dataclass(frozen=True, slots=True)
class _Walked:
    """What reached each passage, how many mention a linked entity, and who has too many."""

    reached: Mapping[str, float]
    mentions: int
    hubs: tuple[str, ...]


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


def _likenesses(matches: Mapping[str, Match], tuning: Tuning) -> dict[str, float]:
    best = max((one.keyword or 0.0 for one in matches.values()), default=0.0)
    known = [
        ((one.keyword or 0.0) / best, one.vector)
        for one in matches.values()
        if one.vector is not None and best > 0
    ]

    def near(one: Match) -> float | None:
        if one.is_embedded or one.vector is not None:
            return one.vector
        return expected_nearness(known, (one.keyword or 0.0) / best if best > 0 else 0.0)

    return {name: likeness(one.keyword, best, near(one), tuning) for name, one in matches.items()}


def _ordered(
    matches: Mapping[str, Match],
    reached: Mapping[str, float],
    found_by: Mapping[str, Collection[str]],
    tuning: Tuning,
) -> tuple[Candidate, ...]:
    """Return the matches as candidates, best first, ties by id."""
    alike = _likenesses(matches, tuning)
    candidates = [
        Candidate(
            one.passage,
            round(relevancy(alike[name], reached.get(name, 0.0), tuning), _DIGITS),
            Legs(one.keyword, one.vector, reached.get(name)),
            tuple(leg for leg, own in found_by.items() if name in own),
        )
        for name, one in matches.items()
    ]
    return tuple(sorted(candidates, key=lambda one: (-one.relevancy, one.passage.chunk.id)))
