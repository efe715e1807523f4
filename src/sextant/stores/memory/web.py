"""The mentions round some seeds by brute force, over all visible units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sextant.types import Put, Reach, Web


@dataclass(frozen=True, slots=True)
class _Mentions:
    """Who is mentioned in each chunk, and how often anybody is; True where a chunk is about it."""

    chunks: Mapping[str, Mapping[str, bool]]
    mentions: Counter[str]
    abouts: Counter[str]

    def followed(self, frontier: set[str], reach: Reach) -> set[str]:
        """Return the chunks that mention these entities; of hubs, only the chunks about them."""
        plain = {name for name in frontier if self.mentions[name] <= reach.per_entity}
        found = {chunk for chunk, own in self.chunks.items() if not plain.isdisjoint(own)}
        return found | self.subjects(frontier - plain, reach)

    def subjects(self, frontier: set[str], reach: Reach) -> set[str]:
        """Return the chunks about these entities, unless there are too many."""
        few = {name for name in frontier if self.abouts[name] <= reach.per_subject}
        return {
            chunk
            for chunk, own in self.chunks.items()
            if any(about and name in few for name, about in own.items())
        }

    def mentioned(self, chunk_ids: Iterable[str]) -> set[str]:
        """Return who is mentioned in these chunks."""
        return {name for chunk in chunk_ids for name in self.chunks[chunk]}


def web_round(
    units: Sequence[Put], chunk_ids: Sequence[str], entity_ids: Sequence[str], reach: Reach
) -> Web:
    """Return who is mentioned where, round these chunks and entities."""
    told = _mentions_of(units, reach.about)
    held = _gathered(told, sorted(set(chunk_ids) & told.chunks.keys()), set(entity_ids), reach)
    pairs = [
        (at, name, about)
        for at, chunk in enumerate(held)
        for name, about in sorted(told.chunks[chunk].items())
    ]
    seeds = {name for name in entity_ids if told.mentions[name]}
    names = sorted({name for _, name, _ in pairs} | seeds)
    number = {name: at for at, name in enumerate(names)}
    return Web(
        tuple(held),
        {name: number[name] for name in sorted(seeds)},
        np.array([at for at, _, _ in pairs], np.int64),
        np.array([number[name] for _, name, _ in pairs], np.int64),
        np.array([about for _, _, about in pairs], bool),
        np.array([told.mentions[name] for name in names], np.int64),
        np.array([told.abouts[name] for name in names], np.int64),
    )


def _mentions_of(units: Sequence[Put], about: str) -> _Mentions:
    chunks: dict[str, dict[str, bool]] = {}
    for unit in units:
        subjects = {one.target for one in unit.relations if one.kind == about}
        for chunk in unit.chunks:
            chunks[chunk.id] = {name: name in subjects for name in chunk.entity_ids}
    pairs = [pair for own in chunks.values() for pair in own.items()]
    return _Mentions(
        chunks, Counter(name for name, _ in pairs), Counter(name for name, about in pairs if about)
    )


def _gathered(told: _Mentions, seeds: Sequence[str], entities: set[str], reach: Reach) -> list[str]:
    """Return all chunks that the reach covers, by id."""
    held = set(seeds[: reach.limit])
    seen = frontier = entities | told.mentioned(held)
    for _ in range(reach.hops):
        fresh = told.followed(frontier, reach) - held
        room = reach.limit - len(held)
        if len(fresh) > room:
            fresh = set(sorted(told.subjects(frontier, reach) - held)[:room])
        held |= fresh
        frontier = told.mentioned(fresh) - seen
        seen = seen | frontier
    return sorted(held)
