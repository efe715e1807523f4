"""What a search asks: text, vector, and a filter tree. Doors parse their strings into this.

Tenant and persona are not in here: they come from the Scope, and no filter can widen them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sextant.errors import InvalidFilter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sextant.types import Chunk, Document


@dataclass(frozen=True, slots=True)
class TagsAny:
    """The document has at least one of these tags."""

    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TagsAll:
    """The document has every one of these tags."""

    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SourceTypes:
    """The document's source type is one of these."""

    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EntitiesAny:
    """The chunk mentions at least one of these entities."""

    entity_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentsAny:
    """The chunk stands in one of these documents."""

    document_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChunksAny:
    """The chunk is one of these."""

    chunk_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TimeRange:
    """The document was created or modified in ``start <= time < end``; undated ones never are."""

    start: datetime | None = None
    end: datetime | None = None
    by: str = "modified"


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part holds; no parts hold always."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one part holds."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Filter


_Listing = TagsAny | TagsAll | SourceTypes | EntitiesAny | DocumentsAny | ChunksAny
Leaf = _Listing | TimeRange
Filter = Leaf | AllOf | AnyOf | Not


@dataclass(frozen=True, slots=True)
class Query:
    """What to search for. Neither text nor vector lists what the filter lets through, by id."""

    text: str = ""
    vector: NDArray[np.float32] | None = field(default=None, compare=False)
    filter: Filter | None = None
    k: int = 10
    at_least: int = 0


def walk(tree: Filter, depth: int = 1) -> Iterator[tuple[Filter, int]]:
    """Yield every node of the tree with its depth."""
    yield tree, depth
    match tree:
        case AllOf(parts) | AnyOf(parts):
            for part in parts:
                yield from walk(part, depth + 1)
        case Not(part):
            yield from walk(part, depth + 1)
        case _:
            return


def values_of(leaf: Leaf) -> tuple[str, ...]:
    """Return the strings that a leaf compares with."""
    match leaf:
        case TagsAny(values) | TagsAll(values) | SourceTypes(values):
            return values
        case EntitiesAny(values) | DocumentsAny(values) | ChunksAny(values):
            return values
        case TimeRange():
            return ()


def passes(tree: Filter, document: Document, chunk: Chunk) -> bool:
    """Whether a filter lets a chunk through."""
    match tree:
        case AllOf(parts):
            return all(passes(part, document, chunk) for part in parts)
        case AnyOf(parts):
            return any(passes(part, document, chunk) for part in parts)
        case Not(part):
            return not passes(part, document, chunk)
        case EntitiesAny(ids):
            return not set(chunk.entity_ids).isdisjoint(ids)
        case ChunksAny(ids):
            return chunk.id in ids
        case _:
            return _fits(tree, document)


def _fits(
    leaf: TagsAny | TagsAll | SourceTypes | DocumentsAny | TimeRange, document: Document
) -> bool:
    match leaf:
        case TagsAny(tags):
            return not document.tags.isdisjoint(tags)
        case TagsAll(tags):
            return document.tags.issuperset(tags)
        case SourceTypes(types):
            return document.source_type in types
        case DocumentsAny(ids):
            return document.id in ids
        case TimeRange(start, end, by):
            moment = document.created if by == "created" else document.modified
            return moment is not None and (
                (start is None or moment >= start) and (end is None or moment < end)
            )


def parse(tree: object, depth: int = 1) -> Filter:
    """Read a filter from plain JSON values; several fields in one object must all hold.

    >>> parse({"tags_any": ["runbook"], "not": {"source_types": ["incident"]}})
    """
    if depth > MAX_DEPTH:
        raise InvalidFilter(f"The filter is nested deeper than {MAX_DEPTH}.", "Flatten it.")
    if not isinstance(tree, Mapping) or not tree:
        raise InvalidFilter("A filter is an object with at least one field.", _FIELDS_HINT)
    parts = tuple(_parse_field(name, value, depth) for name, value in tree.items())
    return parts[0] if len(parts) == 1 else AllOf(parts)


MAX_DEPTH = 8


def _parse_field(name: object, value: Any, depth: int) -> Filter:
    if name in ("all", "any"):
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise InvalidFilter(
                f"The filter's {name} takes a list of filters.", 'Write [{"tags_any": ["ops"]}].'
            )
        parts = tuple(parse(part, depth + 1) for part in value)
        return AllOf(parts) if name == "all" else AnyOf(parts)
    if name == "not":
        return Not(parse(value, depth + 1))
    if name in ("modified", "created"):
        return _parse_range(str(name), value)
    leaf = _LEAVES.get(str(name))
    if leaf is None:
        raise InvalidFilter(f"The filter has an unknown field {str(name)[:80]!r}.", _FIELDS_HINT)
    return leaf(_strings(str(name), value))


def _strings(name: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise InvalidFilter(f"The filter's {name} takes a list of strings.", 'Write ["a", "b"].')
    if not all(isinstance(item, str) for item in value):
        raise InvalidFilter(f"The filter's {name} takes strings only.", 'Write ["a", "b"].')
    return tuple(value)


def _parse_range(name: str, value: object) -> TimeRange:
    if not isinstance(value, Mapping) or not value or not set(value) <= {"start", "end"}:
        raise InvalidFilter(
            f"The filter's {name} takes an object with start, end or both.",
            'Write {"start": "2026-01-31T00:00:00+00:00"}.',
        )
    return TimeRange(_moment(name, value.get("start")), _moment(name, value.get("end")), name)


def _moment(name: str, value: object) -> datetime | None:
    if value is None or isinstance(value, datetime):
        return value
    try:
        return datetime.fromisoformat(str(value))
    except ValueError:
        raise InvalidFilter(
            f"The filter's {name} has {str(value)[:40]!r}, which is not a time.",
            "Write ISO 8601 with an offset, such as 2026-01-31T00:00:00+00:00.",
        ) from None


def filter_fields(tree: Filter) -> dict[str, Any]:
    """Return a filter as plain JSON values, which `parse` reads as the same filter."""
    match tree:
        case AllOf(parts):
            return {"all": [filter_fields(part) for part in parts]}
        case AnyOf(parts):
            return {"any": [filter_fields(part) for part in parts]}
        case Not(part):
            return {"not": filter_fields(part)}
        case TimeRange(start, end, by):
            return {by: {"start": _written(start), "end": _written(end)}}
        case _:
            return {_NAMES[type(tree)]: list(values_of(tree))}


def _written(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


_LEAVES: dict[str, type[_Listing]] = {
    "tags_any": TagsAny,
    "tags_all": TagsAll,
    "source_types": SourceTypes,
    "entity_ids_any": EntitiesAny,
    "document_ids_any": DocumentsAny,
    "chunk_ids_any": ChunksAny,
}
_NAMES = {leaf: name for name, leaf in _LEAVES.items()}
_FIELDS_HINT = f"Known fields: {', '.join([*_LEAVES, 'modified', 'created', 'all', 'any', 'not'])}."
