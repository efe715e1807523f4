"""The mentions round some seeds, hop by hop. Knows entities as numbers, and no names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sextant.stores.arrays.graph.mentions import Mentions, mentions_in, visible_counts
from sextant.stores.arrays.lists import Array, Ints, Lists, distinct, places_of, spans
from sextant.stores.arrays.search_legs.best import first_by_id, ids_at
from sextant.stores.arrays.snapshots.view import Sight, Sights, split
from sextant.types import Reach, Web

_NONE = np.empty(0, np.int64)
EMPTY = Web((), {}, _NONE, _NONE, np.empty(0, bool), _NONE, _NONE)


@dataclass(frozen=True, slots=True)
class _Part:
    """The mentions in one segment, and how many of each entity a persona sees."""

    sight: Sight
    told: Mentions
    mentions: Ints
    abouts: Ints

    def chunks_of(self, numbers: Ints, lists: Lists) -> Ints:
        """Return the places of the visible chunks of these entities."""
        places, known = places_of(self.told.keys, numbers)
        own = lists.gather(places[known])
        return own[self.sight.chunks[own]] + self.sight.base


class _Pairs(NamedTuple):
    chunk: Ints
    entity: Ints
    about: Array


def web(
    sights: Sights, chunk_rows: Ints, entities: Mapping[str, int], reach: Reach, about: int
) -> Web:
    """Return who is mentioned where, as far as the reach goes; about is the number of its kind."""
    parts = [_part(sights, sight, about) for sight in sights]
    if not parts:
        return EMPTY
    seeds = np.array(sorted(entities.values()), np.int64)
    places = _gathered(sights, parts, _seed_places(sights, chunk_rows), seeds, reach)
    pairs = _pairs(parts, places)
    numbers = distinct(np.concatenate([pairs.entity, seeds]))
    mentions, abouts = _counts(parts, numbers)
    there = mentions > 0
    numbers = numbers[there]
    at, known = places_of(numbers, seeds)
    named = dict(zip(seeds[known].tolist(), at[known].tolist(), strict=True))
    return Web(
        tuple([name.decode() for name in ids_at(sights, places)]),
        {name: named[number] for name, number in entities.items() if number in named},
        pairs.chunk,
        np.searchsorted(numbers, pairs.entity),
        pairs.about,
        mentions[there],
        abouts[there],
    )


def _part(sights: Sights, sight: Sight, about: int) -> _Part:
    told = mentions_in(sight.segment, about)
    key = ("mentions", about, sight.base)
    counts = sights.recall(key)
    if counts is None:
        counts = [visible_counts(sight, lists) for lists in (told.chunks, told.subjects)]
        sights.keep(key, counts, sum(one.nbytes for one in counts))
    return _Part(sight, told, *counts)


def _seed_places(sights: Sights, chunk_rows: Ints) -> Ints:
    found = [_NONE]
    for sight in sights:
        places, known = places_of(sight.segment.chunk_row, chunk_rows)
        own = places[known]
        found.append(own[sight.chunks[own]] + sight.base)
    return np.sort(np.concatenate(found))


def _gathered(
    sights: Sights, parts: Sequence[_Part], seeds: Ints, entities: Ints, reach: Reach
) -> Ints:
    """Return the places of all chunks that the reach covers, in order."""
    held = np.zeros(parts[-1].sight.base + len(parts[-1].sight.segment), bool)
    held[first_by_id(sights, seeds, reach.limit)] = True
    seen = frontier = distinct(np.concatenate([entities, _mentioned(parts, held.nonzero()[0])]))
    for _ in range(reach.hops):
        fresh = _followed(parts, frontier, reach)
        fresh = fresh[~held[fresh]]
        room = reach.limit - int(np.count_nonzero(held))
        if len(fresh) > room:
            fresh = _subjects(parts, frontier, reach)
            fresh = first_by_id(sights, fresh[~held[fresh]], room)
        held[fresh] = True
        met = _mentioned(parts, np.sort(fresh))
        frontier = met[~places_of(seen, met)[1]]
        seen = distinct(np.concatenate([seen, frontier]))
    return held.nonzero()[0]


def _followed(parts: Sequence[_Part], frontier: Ints, reach: Reach) -> Ints:
    """Return the chunks that mention these entities; of hubs, only the chunks about them."""
    mentions, abouts = _counts(parts, frontier)
    hubs = mentions > reach.per_entity
    plain, subjects = frontier[~hubs], frontier[hubs & (abouts <= reach.per_subject)]
    found = [part.chunks_of(plain, part.told.chunks) for part in parts]
    found += [part.chunks_of(subjects, part.told.subjects) for part in parts]
    return distinct(np.concatenate(found))


def _subjects(parts: Sequence[_Part], frontier: Ints, reach: Reach) -> Ints:
    _, abouts = _counts(parts, frontier)
    few = frontier[abouts <= reach.per_subject]
    return distinct(np.concatenate([part.chunks_of(few, part.told.subjects) for part in parts]))


def _counts(parts: Sequence[_Part], numbers: Ints) -> tuple[Ints, Ints]:
    """Return how many visible chunks mention each entity, and how many are about it."""
    mentions, abouts = np.zeros(len(numbers), np.int64), np.zeros(len(numbers), np.int64)
    for part in parts:
        places, known = places_of(part.told.keys, numbers)
        mentions[known] += part.mentions[places[known]]
        abouts[known] += part.abouts[places[known]]
    return mentions, abouts


def _mentioned(parts: Sequence[_Part], places: Ints) -> Ints:
    """Return who is mentioned in the chunks at these places, which come in order."""
    return distinct(_pairs(parts, places).entity)


def _pairs(parts: Sequence[_Part], places: Ints) -> _Pairs:
    """Return every mention in the chunks at these places; chunks by their number among them."""
    chunk, entity, about = [_NONE], [_NONE], [np.empty(0, bool)]
    for number, own, local in split([part.sight for part in parts], places):
        told = parts[number].told
        lists = told.entities
        within, owners = spans(lists.starts[local], lists.starts[local + 1])
        chunk.append(owners + own.start)
        entity.append(told.keys[lists.items[within]])
        about.append(lists.said[within] if lists.said is not None else within < 0)
    return _Pairs(np.concatenate(chunk), np.concatenate(entity), np.concatenate(about))
