"""From linked names through the graph: one or two hops, the way the question asks for.

Knows what an edge's sources are worth, and nothing of how a question is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from sextant.ports import Knowledge
from sextant.retrieval.legs.filtered import MOST_ENTITIES
from sextant.retrieval.scoring.worth import worths
from sextant.types import (
    DOCUMENT_NODE,
    Cue,
    Direction,
    Entity,
    Json,
    Linked,
    Neighbourhood,
    Passage,
    Path,
    Relation,
    Scope,
    Walk,
)

WEAK = frozenset({"mentioned_with", "links_to", "about"})
"""Edges that say no more than that two things stand near each other."""

_LEAST = 0.5
"""What is less likely than not leads to passages, but is nothing to tell."""

_SEEDS = 12
_PER_NODE = 40
_LIMIT = 400
_PATHS = 24
_NAMED = 12
"""So many of the ways can be put in words."""

_EVIDENCE = 3
_AROUND = Walk(hops=2, per_node=_PER_NODE, limit=200)
"""Enough edges for as many entities as a filter takes, though some edges are weak."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """Where the graph leads from the names of a question, best way first."""

    paths: tuple[Path, ...] = ()
    entity_ids: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    capped: tuple[str, ...] = ()
    entities: Mapping[str, Entity] = field(default_factory=dict)
    passages: Mapping[str, Passage] = field(default_factory=dict)
    facts: Mapping[str, Json] = field(default_factory=dict)


async def expand(
    store: Knowledge, scope: Scope, linked: Sequence[Linked], cues: Sequence[Cue] = ()
) -> Expansion:
    """Follow the edges that the question's cues name, or the strongest ones without a cue.

    Its entities are all within two hops, in the order in which they were discovered.
    """
    seeds = list(dict.fromkeys(one.entity_id for one in linked))[:_SEEDS]
    expansion = await expand_from(store, scope, seeds, cues)
    if not seeds:
        return expansion
    around = _discovered(seeds, await store.graph.neighbours(scope, seeds, _AROUND))
    entity_ids = dict.fromkeys([*around, *expansion.entity_ids])
    return replace(expansion, entity_ids=tuple(entity_ids)[:MOST_ENTITIES])


async def expand_from(
    store: Knowledge, scope: Scope, seeds: Sequence[str], cues: Sequence[Cue]
) -> Expansion:
    """Follow the same edges from these entities; its entities are those on the ways."""
    if not seeds:
        return Expansion()
    near = await _walk(store, scope, seeds, cues)
    raw = best_paths(paths_from(seeds, near, cues))
    passages = await store.truth.passages(scope, _evidence_of(raw))
    trust = _trust(passages)
    paths = best_paths(weighed(path, trust) for path in raw)
    named = [*seeds, *(name for path in paths[:_NAMED] for name in path.entity_ids)]
    entities = await store.graph.entities(scope, sorted(set(named)))
    return _expansion(seeds, paths, near, entities, passages)


async def _walk(
    store: Knowledge, scope: Scope, seeds: Sequence[str], cues: Sequence[Cue]
) -> Neighbourhood:
    kinds = frozenset(kind for cue in cues for kind in cue.kinds)
    walk = Walk(kinds, hops=2 if kinds else 1, per_node=_PER_NODE, limit=_LIMIT)
    near = await store.graph.neighbours(scope, seeds, walk)
    if kinds and not near.links:
        near = await store.graph.neighbours(
            scope, seeds, Walk(hops=1, per_node=_PER_NODE, limit=_LIMIT)
        )
    return near


def _discovered(seeds: Sequence[str], around: Neighbourhood) -> list[str]:
    """Return the seeds and whom typed edges lead to, hop by hop, by the strongest edges first."""
    steps = _steps([link.relation for link in around.links], ())
    found, edge = dict.fromkeys(seeds), list(seeds)
    for _ in range(_AROUND.hops):
        ends = dict.fromkeys(end for node in edge for _, end in steps.get(node, ()))
        edge = [end for end in ends if end not in found]
        found |= dict.fromkeys(edge)
    return list(found)


def is_sure(relation: Relation) -> bool:
    """Whether an edge may be told: it is declared, or read where such sentences are true."""
    return relation.confidence >= _LEAST


def path_confidence(confidences: Sequence[float]) -> float:
    """Return how sure a way is: one hop its edge's confidence, two hops the product halved."""
    return round(prod(confidences) * 0.5 ** max(0, len(confidences) - 1), 9)


def paths_from(seeds: Iterable[str], near: Neighbourhood, cues: Sequence[Cue]) -> list[Path]:
    """Return the ways of one and two hops that fit the cues, if any does, else all."""
    seeds, relations = list(dict.fromkeys(seeds)), [link.relation for link in near.links]
    fitting = _paths(seeds, _steps(relations, cues))
    return _paths(seeds, _steps(relations, ())) if cues and not fitting else fitting


def _paths(seeds: Iterable[str], steps: Mapping[str, Sequence[tuple[Relation, str]]]) -> list[Path]:
    paths = []
    for seed in seeds:
        for relation, end in steps.get(seed, ()):
            paths.append(_path((seed, end), (relation,)))
            for second, far in steps.get(end, ()):
                if far != seed:
                    paths.append(_path((seed, end, far), (relation, second)))
    return paths


def _steps(
    relations: Iterable[Relation], cues: Sequence[Cue]
) -> dict[str, list[tuple[Relation, str]]]:
    """Return for each node the edges that may be crossed from it, and where they lead."""
    steps: dict[str, list[tuple[Relation, str]]] = {}
    for relation in relations:
        ends = (relation.source, relation.target)
        if relation.kind in WEAK or any(end.startswith(DOCUMENT_NODE) for end in ends):
            continue
        if relation.source == relation.target:
            continue
        if fits(relation, Direction.OUT, cues):
            steps.setdefault(relation.source, []).append((relation, relation.target))
        if fits(relation, Direction.IN, cues):
            steps.setdefault(relation.target, []).append((relation, relation.source))
    return steps


def fits(relation: Relation, direction: Direction, cues: Sequence[Cue]) -> bool:
    """Whether crossing an edge this way is what some cue asks for; no cues ask for anything."""
    return not cues or any(
        relation.kind in cue.kinds and cue.direction in (direction, Direction.BOTH) for cue in cues
    )


def _path(entity_ids: tuple[str, ...], relations: tuple[Relation, ...]) -> Path:
    return Path(entity_ids, relations, path_confidence([one.confidence for one in relations]))


def best_paths(paths: Iterable[Path]) -> list[Path]:
    """Return the best ways, the best first; of equals the one that more evidence supports."""
    return sorted(paths, key=_order)[:_PATHS]


def _order(path: Path) -> tuple[float, int, tuple[str, ...], tuple[str, ...]]:
    support = min(one.support for one in path.relations)
    return (
        -path.confidence,
        -support,
        path.entity_ids,
        tuple(one.kind for one in path.relations),
    )


def _evidence_of(paths: Iterable[Path]) -> list[str]:
    chunk_ids = dict.fromkeys(
        chunk_id
        for path in paths
        for relation in path.relations
        for chunk_id in relation.evidence[:_EVIDENCE]
    )
    return list(chunk_ids)


def _trust(passages: Mapping[str, Passage]) -> Mapping[str, float]:
    """Return what the word of each chunk is worth."""
    worth = worths(passage.document for passage in passages.values())
    return {name: worth[passage.document.id] for name, passage in passages.items()}


def weighed(path: Path, trust: Mapping[str, float]) -> Path:
    """Return a way that is as sure as its edges, each worth what its best source is worth."""
    sure = [
        one.confidence * max((trust[name] for name in one.evidence if name in trust), default=1.0)
        for one in path.relations
    ]
    return Path(path.entity_ids, path.relations, path_confidence(sure))


def _expansion(
    seeds: Sequence[str],
    paths: Sequence[Path],
    near: Neighbourhood,
    entities: Mapping[str, Entity],
    passages: Mapping[str, Passage],
) -> Expansion:
    facts: dict[str, Json] = {
        "paths": len(paths),
        "edges": len(near.links),
        "best": [_path_in_words(path, entities) for path in paths[:5]],
        "capped": list(near.capped),
    }
    return Expansion(
        tuple(paths),
        tuple(dict.fromkeys([*seeds, *(name for path in paths for name in path.entity_ids)])),
        tuple(_evidence_of(paths)),
        tuple(near.capped),
        dict(entities),
        dict(passages),
        facts,
    )


def _path_in_words(path: Path, entities: Mapping[str, Entity]) -> str:
    names = [entities[name].name if name in entities else name for name in path.entity_ids]
    told = names[0]
    for at, relation in enumerate(path.relations):
        out = relation.source == path.entity_ids[at]
        told += f" -{relation.kind}-> " if out else f" <-{relation.kind}- "
        told += names[at + 1]
    return told
