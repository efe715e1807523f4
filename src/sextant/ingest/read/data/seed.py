"""Knowledge that comes split and linked: entities, relations and chunks, field for field."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from sextant.errors import BrokenFile
from sextant.ingest.extract.claims import LISTED
from sextant.ingest.read.dates import moment
from sextant.ingest.read.declared import scalar_text
from sextant.ingest.read.decode import storable
from sextant.ingest.read.given import Given
from sextant.ingest.read.limits import at_most
from sextant.ingest.values import Block, Fact, GivenVector, Kind, Reading
from sextant.types import Chunk, Entity, title_field, url_field

_GAP = "\n\n"
_LISTS = frozenset({"entities", "relations", "chunks"})
_EMBEDDER = "embedder"
"""Who made the vectors of a bundle, or of a chunk by itself."""
_FIELDS = {
    "entities": frozenset({"id", "name", "type", "aliases", "metadata", "listed"}),
    "relations": frozenset(
        {"id", "sourceEntityId", "targetEntityId", "relationType", "evidenceChunkIds", "confidence"}
    ),
    "chunks": frozenset(
        {"id", "content", "title", "url", "entityIds", "contentVector", "headings", "page"}
        | {"sourceType", "language", "tags", "created", "modified", "owner", _EMBEDDER}
    ),
}
_TELLING = frozenset({"sourceEntityId", "targetEntityId", "evidenceChunkIds", "contentVector"})
_ENTITY_SHAPE = frozenset({"id", "name", "type"})
_Record = Mapping[str, object]


def is_seed(values: Sequence[object]) -> bool:
    """Whether a list of values can only be meant as entities, relations and chunks."""
    return bool(values) and all(_kind(value) for value in values)


def read_seed(given: Given, values: Sequence[object]) -> list[Reading]:
    """Read chunks as one document per id before the '#', and the graph as one more."""
    sorted_out: dict[str, list[_Record]] = {kind: [] for kind in _FIELDS}
    for value in values:
        _sort(value, sorted_out)
    at_most(given.limits.nodes, sum(map(len, sorted_out.values())), "records")
    documents = _documents(given, sorted_out["chunks"])
    graph = Reading(
        "",
        source_type=given.format,
        entities=tuple(_entity(record) for record in sorted_out["entities"]),
        facts=tuple(_fact(record) for record in sorted_out["relations"]),
        notes=_vector_note(sorted_out["chunks"]),
    )
    return [*documents, graph] if graph.entities or graph.facts or graph.notes else documents


def _kind(value: object) -> str:
    """Name what a value is: a bundle, or a record of one of its lists."""
    if not isinstance(value, Mapping) or not value:
        return ""
    if _is_bundle(value):
        return "bundle"
    if "sourceEntityId" in value or "targetEntityId" in value:
        return "relations"
    if "content" in value and (not _TELLING.isdisjoint(value) or "#" in str(value.get("id"))):
        return "chunks"
    names = {name for name in value if not name.startswith("_")}
    return "entities" if _ENTITY_SHAPE <= names <= _FIELDS["entities"] else ""


def _is_bundle(value: _Record) -> bool:
    lists = value.keys() - {_EMBEDDER}
    is_named = isinstance(value.get(_EMBEDDER, ""), str)
    return is_named and bool(lists) and lists <= _LISTS and all(_is_list(value[n]) for n in lists)


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _sort(value: object, into: dict[str, list[_Record]]) -> None:
    kind = _kind(value)
    if not isinstance(value, Mapping) or not kind:
        return
    lists = {name: value[name] for name in value if name != _EMBEDDER}
    embedder = value.get(_EMBEDDER) if kind == "bundle" else None
    for name, records in lists.items() if kind == "bundle" else ((kind, [value]),):
        for number, record in enumerate(records, 1):
            checked = _checked(name, number, record)
            if embedder and name == "chunks":
                checked = {_EMBEDDER: embedder, **checked}
            into[name].append(checked)


def _checked(kind: str, number: int, record: object) -> _Record:
    if not isinstance(record, Mapping):
        raise _broken(f"{kind}[{number}]", "is no object")
    for name in record:
        # A database puts fields of its own, such as _etag, into what it exports.
        if name not in _FIELDS[kind] and not name.startswith("_"):
            raise _broken(_record_label(kind, record), f"has an unknown field {name[:40]!r}")
    return record


def _documents(given: Given, records: list[_Record]) -> list[Reading]:
    groups: dict[str, list[_Record]] = {}
    seen: set[str] = set()
    for record in records:
        name = _text(record, "chunks", "id")
        if name in seen:
            raise _broken(f"the chunk {name[:80]!r}", "comes twice")
        seen.add(name)
        groups.setdefault(name.rpartition("#")[0] or name, []).append(record)
    at_most(given.limits.documents, len(groups), "documents")
    return [_document(given, part, group) for part, group in groups.items()]


def _document(given: Given, part: str, records: list[_Record]) -> Reading:
    chunks: list[Chunk] = []
    blocks: list[Block] = []
    at = 0
    for record in records:
        text = _text(record, "chunks", "content")
        body = text.strip()
        if not body:
            raise _broken(_record_label("chunks", record), "has an empty 'content'")
        first = at + len(text) - len(text.lstrip())
        blocks.append(Block(Kind.TEXT, first, first + len(body)))
        chunks.append(_chunk(record, text, at))
        at += len(text) + len(_GAP)
    return Reading(
        _GAP.join(chunk.text for chunk in chunks),
        tuple(blocks),
        part=part,
        title=_first(records, "title") or part,
        url=_first(records, "url"),
        source_type=given.format,
        language=_first(records, "language"),
        created=_moment(records, "created"),
        modified=_moment(records, "modified"),
        tags=frozenset(tag for record in records for tag in _texts(record, "chunks", "tags")),
        chunks=tuple(chunks),
        sort=_first(records, "sourceType"),
        vectors=dict(_vectors(records)),
        owner=_first(records, "owner"),
        own_names=dict(_own_names(records)),
    )


def _own_names(records: list[_Record]) -> Iterator[tuple[str, str]]:
    """Yield titles and addresses of chunks that are not those of their document."""
    for name, field in (("title", title_field), ("url", url_field)):
        first = _first(records, name)
        for record in records:
            own = _text(record, "chunks", name, needed=False).strip()
            if own and own != first:
                yield field(_text(record, "chunks", "id")), own


def _chunk(record: _Record, text: str, at: int) -> Chunk:
    return Chunk(
        _text(record, "chunks", "id"),
        text,
        at,
        at + len(text),
        _texts(record, "chunks", "headings"),
        _page(record),
        _texts(record, "chunks", "entityIds"),
    )


def _vectors(records: list[_Record]) -> Iterator[tuple[str, GivenVector]]:
    """Yield the vectors that are said to be of an embedder; no other could be compared."""
    for record in records:
        embedder = _text(record, "chunks", _EMBEDDER, needed=False)
        vector = record.get("contentVector")
        if not embedder or not vector:
            continue
        if not isinstance(vector, list) or not all(type(one) in (int, float) for one in vector):
            raise _broken(
                _record_label("chunks", record), "has a 'contentVector' that is no list of numbers"
            )
        try:
            values = tuple(float(one) for one in vector)
        except OverflowError:
            values = (math.inf,) * len(vector)
        yield _text(record, "chunks", "id"), GivenVector(embedder, values)


def _page(record: _Record) -> int | None:
    page = record.get("page")
    if page is not None and (type(page) is not int or page < 1):
        raise _broken(_record_label("chunks", record), "has a 'page' that is no number of a page")
    return page


def _moment(records: list[_Record], name: str) -> datetime | None:
    for record in records:
        if record.get(name) is not None:
            found = moment(record[name])
            if found is None:
                raise _broken(_record_label("chunks", record), f"has a {name!r} that is no moment")
            return found
    return None


def _entity(record: _Record) -> Entity:
    given = record.get("metadata") or {}
    if not isinstance(given, Mapping):
        raise _broken(_record_label("entities", record), "has a 'metadata' that is no object")
    metadata = {str(name): scalar_text(value) for name, value in given.items()}
    for name, value in given.items():
        if value not in (None, "", []) and not metadata[str(name)]:
            raise _broken(
                _record_label("entities", record), f"has a nested 'metadata.{str(name)[:40]}'"
            )
    return Entity(
        _text(record, "entities", "id"),
        _text(record, "entities", "name"),
        _text(record, "entities", "type", needed=False),
        frozenset(_texts(record, "entities", "aliases")),
        {name: value for name, value in metadata.items() if name and value}
        | ({LISTED: "no"} if record.get("listed") is False else {}),
    )


def _fact(record: _Record) -> Fact:
    confidence = record.get("confidence", 1.0)
    sound = isinstance(confidence, int | float) and not isinstance(confidence, bool)
    if not sound or not 0 <= float(confidence) <= 1:  # type: ignore[arg-type]
        raise _broken(_record_label("relations", record), "has a 'confidence' outside of 0 to 1")
    return Fact(
        _text(record, "relations", "sourceEntityId"),
        _text(record, "relations", "targetEntityId"),
        _text(record, "relations", "relationType"),
        float(confidence),  # type: ignore[arg-type]
        _texts(record, "relations", "evidenceChunkIds"),
        _text(record, "relations", "id", needed=False),
    )


def _text(record: _Record, kind: str, name: str, needed: bool = True) -> str:
    value = record.get(name)
    if value is None and not needed:
        return ""
    if not isinstance(value, str) or (needed and not value):
        raise _broken(_record_label(kind, record), f"has a {name!r} that is no text")
    return storable(value)


def _texts(record: _Record, kind: str, name: str) -> tuple[str, ...]:
    value = record.get(name) or []
    if not isinstance(value, list) or not all(isinstance(part, str) and part for part in value):
        raise _broken(_record_label(kind, record), f"has a {name!r} that is no list of texts")
    return tuple(storable(part) for part in value)


def _first(records: list[_Record], name: str) -> str:
    found = (_text(record, "chunks", name, needed=False) for record in records)
    return next((text for text in found if text), "")


def _vector_note(records: list[_Record]) -> tuple[str, ...]:
    count = sum(1 for one in records if one.get("contentVector") and not one.get(_EMBEDDER))
    return (f"{count} foreign vectors were left out; texts are embedded here.",) if count else ()


def _record_label(kind: str, record: _Record) -> str:
    return f"{kind} record {str(record.get('id'))[:80]!r}"


def _broken(what: str, why: str) -> BrokenFile:
    return BrokenFile(
        f"{what[:1].upper()}{what[1:]} {why}.", "Compare it with what `sextant export` writes."
    )
