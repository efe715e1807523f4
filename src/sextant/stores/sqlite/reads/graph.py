"""Entities and edges of a snapshot, with the truth's names put back in place of numbers."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter

import numpy as np

from sextant.stores.arrays.graph.columns import all_edges
from sextant.stores.arrays.graph.edges import (
    MOST_EVIDENCE,
    Edge,
    Key,
    Names,
    evidence_ids,
    rank,
    strongest,
)
from sextant.stores.arrays.graph.hops import hop
from sextant.stores.arrays.graph.names import Bearer, bearers
from sextant.stores.arrays.graph.web import web
from sextant.stores.arrays.lists import Ints
from sextant.stores.arrays.snapshots.view import Sight, Snapshot, Viewer
from sextant.stores.making import maker
from sextant.stores.sqlite.reads.entities import entities_of
from sextant.stores.sqlite.truth.changes import WEIGHT_UNIT
from sextant.stores.sqlite.truth.rows import (
    chunk_numbers,
    numbers_of,
    values_of,
)
from sextant.text.names import normal_name
from sextant.types import (
    Counts,
    Direction,
    Entity,
    Link,
    NameMatch,
    NameMode,
    Neighbourhood,
    Reach,
    Relation,
    Walk,
    Web,
)

_make_link, _make_relation = maker(Link), maker(Relation)
_ENDS = {Direction.OUT: (0,), Direction.IN: (1,), Direction.BOTH: (0, 1)}


def look_up(
    connection: sqlite3.Connection,
    snapshot: Snapshot,
    viewer: Viewer,
    names: Sequence[str],
    mode: NameMode,
    limit: int,
) -> dict[str, list[NameMatch]]:
    """Return for each name the entities that bear it, best first, ties by id."""
    wanted = {name: normal_name(name) for name in names}
    distinct = list(dict.fromkeys(name for name in wanted.values() if name))
    found = bearers(snapshot.sights(viewer), distinct, mode)
    close = {name: _closest(own, limit) for name, own in found.items() if own}
    numbers = {number for own in close.values() for number in own}
    entities = entities_of(connection, snapshot, viewer, sorted(numbers))
    return {name: _matches(close.get(form, {}), entities, limit) for name, form in wanted.items()}


def _closest(found: Sequence[Bearer], limit: int) -> dict[int, tuple[float, str]]:
    """Return each entity's best fit, of those that are among the best or level with them."""
    best: dict[int, tuple[float, str]] = {}
    for score, spelling, number in found:
        held = best.get(number)
        if held is None or (-score, spelling) < (-held[0], held[1]):
            best[number] = (score, spelling)
    floor = sorted((score for score, _ in best.values()), reverse=True)[:limit]
    return {number: fit for number, fit in best.items() if fit[0] >= floor[-1]}


def _matches(
    close: Mapping[int, tuple[float, str]], entities: Mapping[int, Entity], limit: int
) -> list[NameMatch]:
    found = [NameMatch(entities[number], fit[1], fit[0]) for number, fit in close.items()]
    return sorted(found, key=lambda match: (-match.score, match.entity.id))[:limit]


def walk_from(
    connection: sqlite3.Connection,
    snapshot: Snapshot,
    viewer: Viewer,
    ids: Sequence[str],
    walk: Walk,
) -> Neighbourhood:
    """Follow the best edges from these entities, hop by hop."""
    sights = snapshot.sights(viewer)
    kinds = None
    if walk.kinds:
        kinds = np.array(sorted(_known(connection, walk.kinds)), np.int64)
    frontier = _known(connection, ids)
    visited = frontier
    seen: set[Key] = set()
    taken: list[list[Edge]] = []
    capped: set[int] = set()
    room, truncated = walk.limit, False

    known: dict[int, str] = {}

    def names(numbers: Iterable[int]) -> Mapping[int, str]:
        unknown = [number for number in numbers if number not in known]
        known.update(values_of(connection, unknown, snapshot.rows))
        return known

    ends = _ENDS[walk.direction]
    for _ in range(walk.hops):
        crossed = hop(sights, frontier, kinds, ends, walk.per_node, names)
        fresh = [edge for edge in crossed.edges if edge.key not in seen]
        seen.update(edge.key for edge in fresh)
        truncated = truncated or len(fresh) > room
        chosen = strongest(fresh, room, names) if len(fresh) > room else fresh
        taken.append(chosen)
        room -= len(chosen)
        capped |= crossed.capped
        reached = {node for edge in chosen for node in edge.key[:2]}
        frontier = reached - visited
        visited = visited | reached
        if not frontier:
            break
    links, shown = _links(sights, taken, names), names(capped)
    return Neighbourhood(links, tuple(sorted(shown[node] for node in capped)), truncated)


def _links(
    sights: Sequence[Sight], taken: Sequence[Sequence[Edge]], names: Names
) -> tuple[Link, ...]:
    """Return the edges taken at each hop, best first; the names of all are read at once."""
    rank([edge for own in taken for edge in own], names)
    ordered = [edge for own in taken for edge in sorted(own, key=attrgetter("rank"))]
    distances = [at for at, own in enumerate(taken, 1) for _ in own]
    each = zip(relations(sights, ordered, names), distances, strict=True)
    return tuple([_make_link(relation, distance) for relation, distance in each])


def web_round(
    connection: sqlite3.Connection,
    snapshot: Snapshot,
    viewer: Viewer,
    seeds: tuple[Sequence[str], Sequence[str]],
    reach: Reach,
) -> Web:
    """Return who is mentioned where, round the chunks and entities with these ids."""
    sights = snapshot.sights(viewer)
    chunks = chunk_numbers(connection, sorted(set(seeds[0])))
    entities = numbers_of(connection, sorted(set(seeds[1])))
    about = numbers_of(connection, [reach.about]).get(reach.about, -1)
    return web(sights, np.array(sorted(chunks.values()), np.int64), entities, reach, about)


def relations(
    sights: Sequence[Sight],
    edges: Sequence[Edge],
    names: Names,
    most_evidence: int = MOST_EVIDENCE,
) -> list[Relation]:
    """Return edges with names in place of numbers; the same most_evidence for the same edges."""
    rank(edges, names)
    new = [edge for edge in edges if edge.shown is None]
    for edge, ids in zip(new, evidence_ids(sights, new, most_evidence), strict=True):
        if edge.rank:
            _, _, kind, source, target = edge.rank
            weight = edge.weight / WEIGHT_UNIT
            edge.shown = _make_relation(
                source, target, kind, edge.confidence, weight, ids, edge.support
            )
    return [edge.shown for edge in edges if edge.shown]


def count_all(sights: Sequence[Sight]) -> Counts:
    """Count what is seen."""
    return Counts(
        sum(int(np.count_nonzero(sight.documents)) for sight in sights),
        sum(sight.count for sight in sights),
        len(defined(sights)),
        len(all_edges(sights)),
    )


def defined(sights: Sequence[Sight]) -> Ints:
    """Return the numbers of the entities that a visible document defines."""
    found = [np.empty(0, np.int64)]
    for sight in sights:
        index = sight.segment.definitions
        visible = sight.documents[index.lists.items]
        owners = np.repeat(np.arange(len(index.keys)), np.diff(index.lists.starts))
        found.append(index.keys[np.unique(owners[visible])])
    return np.unique(np.concatenate(found))


def _known(connection: sqlite3.Connection, values: Iterable[str]) -> set[int]:
    return set(numbers_of(connection, sorted(set(values))).values())
