"""A store's content as canonical lines: equal stores, whatever their history, give equal lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sextant.stores.digest import canonical, json_values
from sextant.types import OWN, Entity, Feedback, Put, Relation, Thread, ThreadEntry

INDEX_COUNTERS = f"{OWN}index:"
"""What the counters are called that say where an index in another engine stands.

They are no content: an index is derived, and is made anew where its position is not known.
"""


def dump_lines(
    units: Iterable[Put], entities: Iterable[Entity], relations: Iterable[Relation]
) -> Iterator[str]:
    """Yield the lines of the knowledge."""
    for unit in sorted(units, key=lambda one: one.document.id):
        document = json_values(unit)
        del document["over"]  # what it replaced is no part of it
        yield canonical({"document": document})
    for entity in sorted(entities, key=lambda one: one.id):
        yield canonical({"entity": entity})
    for relation in sorted(relations, key=lambda one: (one.source, one.target, one.kind)):
        yield canonical({"relation": relation})


def record_lines(
    counters: Mapping[str, int],
    threads: Mapping[str, Iterable[Thread]],
    entries: Iterable[tuple[str, str, ThreadEntry]],
    feedback: Iterable[Feedback],
) -> Iterator[str]:
    """Yield the lines of what is not knowledge; threads are by user, entries come in order."""
    for name, value in sorted(counters.items()):
        if not name.startswith(INDEX_COUNTERS):
            yield canonical({"counter": name, "value": value})
    for user, own in sorted(threads.items()):
        for thread in sorted(own, key=lambda one: one.id):
            yield canonical({"user": user, "thread": thread})
    for user, name, entry in entries:
        yield canonical({"user": user, "entry": entry, "of": name})
    for item in feedback:
        yield canonical({"feedback": item})
