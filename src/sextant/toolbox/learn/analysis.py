"""The shape of the tool graph: which tools matter, which form groups, how one leads to another."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from math import log

import numpy as np
from numpy.typing import NDArray

from sextant.types import ToolLink, ToolRelation

_DAMPING = 0.85  # Brin and Page (1998)
_ROUNDS = 50  # 0.85^50 is 3e-4 of what is left to spread
_APART = frozenset({ToolLink.MUTUALLY_EXCLUSIVE})
"""Relations that keep tools apart lead nowhere."""

Web = Mapping[int, Mapping[int, float]]


def weave(
    relations: Iterable[ToolRelation], places: Mapping[str, int]
) -> dict[int, dict[int, float]]:
    """Return who leads to whom and how surely, over all relations that join tools."""
    web: dict[int, dict[int, float]] = {}
    for one in relations:
        source, target = places.get(one.source), places.get(one.target)
        if source is None or target is None or source == target or one.kind in _APART:
            continue
        own = web.setdefault(source, {})
        worth = 1.0 if one.confidence is None else one.confidence
        own[target] = max(worth, own.get(target, 0.0))
    return web


def rank_pages(web: Web, tools: int) -> NDArray[np.float64]:
    """Return the PageRank of each tool; they sum up to 1."""
    if not tools:
        return np.zeros(0)
    sources, targets, worths = _flat(web)
    out = np.bincount(sources, worths, tools)
    rank = np.full(tools, 1.0 / tools)
    for _ in range(_ROUNDS):
        flow = rank[sources] * worths / out[sources]
        spread = np.bincount(targets, flow, tools)
        idle = rank[out == 0].sum()
        rank = (1 - _DAMPING) / tools + _DAMPING * (spread + idle / tools)
    return np.asarray(rank / rank.sum())


def find_communities(web: Web, tools: int) -> list[list[int]]:
    """Return groups of tools that are joined more closely than with others, the largest first.

    Labels spread along relations, in either direction, until each tool has that of most of its
    neighbours (Raghavan et al., 2007); always in the same order, so that the result is the same.
    """
    near = _both_ways(web)
    labels = list(range(tools))
    for _ in range(_ROUNDS):
        changed = False
        for place in sorted(near, key=lambda own: (len(near[own]), own)):
            votes: dict[int, float] = {}
            for other, worth in near[place].items():
                votes[labels[other]] = votes.get(labels[other], 0.0) + worth
            best = max(votes, key=lambda own: (votes[own], own == labels[place], -own))
            changed |= best != labels[place]
            labels[place] = best
        if not changed:
            break
    groups: dict[int, list[int]] = {}
    for place in near:
        groups.setdefault(labels[place], []).append(place)
    return sorted(map(sorted, groups.values()), key=lambda own: (-len(own), own))


def shortest_path(web: Web, start: int, end: int) -> tuple[int, ...]:
    """Return the tools on the way with the fewest steps, and of these the surest; none is ()."""
    near, turn = _both_ways(web), count()
    waiting: list[tuple[int, float, int, tuple[int, ...]]] = [(0, 0.0, next(turn), (start,))]
    done = set[int]()
    while waiting:
        steps, doubt, _, path = heapq.heappop(waiting)
        own = path[-1]
        if own == end:
            return path
        if own in done:
            continue
        done.add(own)
        for other, worth in near.get(own, {}).items():
            if other not in done:
                doubtful = doubt - log(max(worth, 1e-9))
                heapq.heappush(waiting, (steps + 1, doubtful, next(turn), (*path, other)))
    return ()


def _both_ways(web: Web) -> dict[int, dict[int, float]]:
    near: dict[int, dict[int, float]] = {}
    for source, targets in web.items():
        for target, worth in targets.items():
            for one, other in ((source, target), (target, source)):
                own = near.setdefault(one, {})
                own[other] = max(worth, own.get(other, 0.0))
    return {place: dict(sorted(near[place].items())) for place in sorted(near)}


def _flat(web: Web) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    edges: Sequence[tuple[int, int, float]] = [
        (source, target, worth)
        for source, targets in sorted(web.items())
        for target, worth in sorted(targets.items())
        if worth > 0
    ]
    sources = np.array([edge[0] for edge in edges], np.int64)
    targets = np.array([edge[1] for edge in edges], np.int64)
    return sources, targets, np.array([edge[2] for edge in edges], np.float64)
