"""A filter as the fields of KnowledgeSearchFilters, and what of it has to be checked here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sextant.errors import InvalidFilter
from sextant.links.entries.listed import Taken
from sextant.query import (
    AllOf,
    DocumentsAny,
    EntitiesAny,
    Filter,
    SourceTypes,
    TagsAll,
    TagsAny,
    TimeRange,
    passes,
    walk,
)
from sextant.text.odata.filters import render
from sextant.types import Passage

_ODATA = "ODataFilter"


@dataclass(slots=True)
class SplitFilter:
    """What a server filters by, and what is left for us to check."""

    fields: dict[str, Any] = field(default_factory=dict)
    left: list[Filter] = field(default_factory=list)

    def lets_through(self, passage: Passage) -> bool:
        """Whether a passage fits what the server could not be asked for."""
        return all(passes(one, passage.document, passage.chunk) for one in self.left)


def split_filter(tree: Filter | None, taken: Taken) -> SplitFilter:
    """Ask a server for what it can filter by; refuse what neither it nor we can tell."""
    split = SplitFilter()
    for part in _parts(tree):
        fields = _fields(part)
        spelt = {taken.spelling(name): own for name, own in fields.items()}
        if fields and all(spelt) and not spelt.keys() & split.fields.keys():
            split.fields |= spelt
        else:
            split.left.append(part)
    if split.left and taken.names and (odata := taken.spelling(_ODATA)):
        split.fields[odata] = render(AllOf(tuple(split.left)))
        split.left = []
    if any(isinstance(node, TagsAny | TagsAll) for one in split.left for node, _ in walk(one)):
        raise InvalidFilter(
            "The KnowledgeStore cannot filter by tags in this way.",
            "Name tags that one of is enough, and combine them with nothing else.",
        )
    return split


def _parts(tree: Filter | None) -> Iterator[Filter]:
    """Yield what must all hold."""
    if isinstance(tree, AllOf):
        for part in tree.parts:
            yield from _parts(part)
    elif tree is not None:
        yield tree


def _fields(part: Filter) -> dict[str, Any]:
    """Return a part as fields; nothing where it is none."""
    match part:
        case TagsAny(values):
            return {"Tags": list(values)}
        case TagsAll(values):
            return {"AllTags": list(values)}
        case SourceTypes(values):
            return {"SourceTypes": list(values)}
        case EntitiesAny(values):
            return {"EntityIds": list(values)}
        case DocumentsAny(values):
            return {"ArtifactIds": list(values)}
        case TimeRange(start, end, by):
            name = by.capitalize()
            both = {f"{name}After": _written(start), f"{name}Before": _written(end)}
            return {name: own for name, own in both.items() if own}
        case _:
            return {}


def _written(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat().replace("+00:00", "Z")
