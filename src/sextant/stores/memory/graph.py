"""Names and edges by brute force, over all visible units."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from rapidfuzz import fuzz

from sextant.stores.memory.units import entities
from sextant.text.names import normal_name
from sextant.types import (
    Direction,
    Link,
    NameMatch,
    NameMode,
    Neighbourhood,
    Put,
    Relation,
    Walk,
)

_LEAST_LIKENESS = 0.75
_MOST_EVIDENCE = 8
_DIGITS = 6


def look_up(units: Sequence[Put], name: str, mode: NameMode, limit: int) -> list[NameMatch]:
    """Return the entities that bear a name, best first, ties by id."""
    wanted = normal_name(name)
    known = entities(units)
    best: dict[str, tuple[float, str]] = {}
    for unit in units if wanted else ():
        for entity in unit.entities:
            for spelling in map(normal_name, (entity.name, *entity.aliases)):
                score = _fit(wanted, spelling, mode)
                held = best.get(entity.id)
                if score and (held is None or (-score, spelling) < (-held[0], held[1])):
                    best[entity.id] = (score, spelling)
    found = [NameMatch(known[one], spelling, score) for one, (score, spelling) in best.items()]
    return sorted(found, key=lambda match: (-match.score, match.entity.id))[:limit]


def _fit(wanted: str, spelling: str, mode: NameMode) -> float:
    if mode == NameMode.EXACT:
        return float(wanted == spelling)
    if mode == NameMode.PREFIX:
        return len(wanted) / len(spelling) if spelling.startswith(wanted) else 0.0
    if mode == NameMode.WORD:
        return len(wanted) / len(spelling) if f" {wanted} " in f" {spelling} " else 0.0
    score = fuzz.ratio(wanted, spelling) / 100
    return round(score, 6) if score >= _LEAST_LIKENESS else 0.0


def edges(units: Iterable[Put], most_evidence: int | None = None) -> list[Relation]:
    """Add up every contribution."""
    sums: dict[tuple[str, str, str], list[Relation]] = defaultdict(list)
    for unit in units:
        for relation in unit.relations:
            sums[relation.source, relation.target, relation.kind].append(relation)
    return [
        Relation(
            *key,
            max(one.confidence for one in own),
            round(sum(one.weight for one in own), _DIGITS),
            tuple(sorted({chunk for one in own for chunk in one.evidence})[:most_evidence]),
            len(own),
        )
        for key, own in sums.items()
    ]


def walk_from(units: Sequence[Put], ids: Sequence[str], walk: Walk) -> Neighbourhood:
    """Follow the best edges of each node, hop by hop."""
    every = [
        edge for edge in edges(units, _MOST_EVIDENCE) if not walk.kinds or edge.kind in walk.kinds
    ]
    frontier, visited = set(ids), set(ids)
    crossed: dict[tuple[str, str, str], Link] = {}
    capped: set[str] = set()
    truncated = False
    for distance in range(1, walk.hops + 1):
        fresh: dict[tuple[str, str, str], Relation] = {}
        for node in frontier:
            for own in _ends(every, node, walk.direction):
                if len(own) > walk.per_node:
                    capped.add(node)
                fresh |= {_key(edge): edge for edge in sorted(own, key=_rank)[: walk.per_node]}
        new = sorted((edge for key, edge in fresh.items() if key not in crossed), key=_rank)
        room = walk.limit - len(crossed)
        truncated = truncated or len(new) > room
        crossed |= {_key(edge): Link(edge, distance) for edge in new[:room]}
        reached = {end for edge in new[:room] for end in (edge.source, edge.target)}
        frontier = reached - visited
        visited |= reached
    return Neighbourhood(tuple(crossed.values()), tuple(sorted(capped)), truncated)


def _ends(every: Sequence[Relation], node: str, direction: Direction) -> Iterator[list[Relation]]:
    if direction != Direction.IN:
        yield [edge for edge in every if edge.source == node]
    if direction != Direction.OUT:
        yield [edge for edge in every if edge.target == node]


def _key(edge: Relation) -> tuple[str, str, str]:
    return edge.source, edge.target, edge.kind


def _rank(edge: Relation) -> tuple[float, float, str, str, str]:
    return -edge.confidence, -edge.weight, edge.kind, edge.source, edge.target
