"""What entities are, as far as a viewer sees: what the definitions of documents add up to."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from sextant.stores.arrays.lists import places_of
from sextant.stores.arrays.snapshots.view import Sights, Snapshot, Viewer, Whole
from sextant.stores.definitions import combine
from sextant.stores.sqlite.truth.rows import (
    definitions,
    first_definitions,
    numbers_of,
    wordings,
)
from sextant.types import Definition, Entity, is_open_to

_MANY = 32
"""With more definitions than this, most say the same; then only what differs is read."""

_ENTITY_BYTES, _NAME_BYTES = 1_000, 100


def entities_of(
    connection: sqlite3.Connection, snapshot: Snapshot, viewer: Viewer, numbers: Sequence[int]
) -> dict[int, Entity]:
    """Return what the visible definitions of these entities add up to."""
    sights = snapshot.sights(viewer)
    found: dict[int, Entity] = {}
    hubs: list[int] = []
    for number in _defined_by_many(sights, numbers):
        known: Entity | None = sights.recall(("entity", number))
        if known is None:
            hubs.append(number)
        else:
            found[number] = known
    for number, entity in _worded(connection, sights, viewer, hubs).items():
        found[number] = entity
        size = _ENTITY_BYTES + _NAME_BYTES * (len(entity.aliases) + len(entity.metadata))
        sights.keep(("entity", number), entity, size)
    few = [number for number in numbers if number not in found and number not in hubs]
    found |= _combined(viewer, definitions(connection, few))
    return {number: found[number] for number in numbers if number in found}


def entities_by_id(
    connection: sqlite3.Connection, snapshot: Snapshot, viewer: Viewer, ids: Sequence[str]
) -> dict[str, Entity]:
    """Return the entities that some visible document defines."""
    numbers = sorted(numbers_of(connection, sorted(set(ids))).values())
    found = entities_of(connection, snapshot, viewer, numbers)
    return {entity.id: entity for entity in found.values()}


def _combined(viewer: Viewer, each: Iterable[tuple[int, Definition]]) -> dict[int, Entity]:
    seen: dict[int, list[Definition]] = defaultdict(list)
    for number, definition in each:
        if sees(viewer, definition.personas):
            seen[number].append(definition)
    return {number: combine(own) for number, own in seen.items()}


def sees(viewer: Viewer, personas: frozenset[str]) -> bool:
    """Whether a viewer sees what only some personas may; nobody named is everybody."""
    return isinstance(viewer, Whole) or is_open_to(viewer, personas)


def _defined_by_many(sights: Sights, numbers: Sequence[int]) -> list[int]:
    """Return the entities that have many definitions, seen or not."""
    wanted = np.array(numbers, np.int64)
    counts = np.zeros(len(wanted), np.int64)
    for sight in sights:
        index = sight.segment.definitions
        places, known = places_of(index.keys, wanted)
        places = places[known]
        counts[known] += index.lists.starts[places + 1] - index.lists.starts[places]
    many: list[int] = wanted[counts > _MANY].tolist()
    return many


def _worded(
    connection: sqlite3.Connection, sights: Sights, viewer: Viewer, hubs: Sequence[int]
) -> dict[int, Entity]:
    """Return entities of many definitions; where all say the same, no document need be asked."""
    said: dict[int, list[Entity]] = defaultdict(list)
    for number, entity in wordings(connection, hubs):
        said[number].append(entity)
    agreed = [number for number, own in said.items() if len(own) == 1 and _seen(sights, number)]
    found = {number: combine([Definition(said[number][0], "", 0.0)]) for number in agreed}
    argued = [number for number, own in said.items() if len(own) > 1]
    return found | _combined(viewer, first_definitions(connection, argued))


def _seen(sights: Sights, number: int) -> bool:
    """Whether any visible document defines an entity."""
    for sight in sights:
        index = sight.segment.definitions
        places, known = places_of(index.keys, np.array([number]))
        if known[0] and sight.documents.take(index.lists[places[0]]).any():
            return True
    return False
