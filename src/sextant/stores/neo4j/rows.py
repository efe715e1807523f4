"""Tools, relations and uses as properties, and back. Knows no statement.

What is missing of a node was written by somebody else and has its default; what is of another kind
than it must be is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

import numpy as np
from neo4j.time import DateTime
from numpy.typing import NDArray

from sextant.stores.neo4j.refusals import other_schema
from sextant.types import (
    LinkOrigin,
    Outcome,
    StoredTool,
    Tool,
    ToolLink,
    ToolRelation,
    ToolUse,
    UsedTool,
)

_VECTORS = 2
"""A tool has a vector of its name and one of its whole text."""

T = TypeVar("T")
Properties = Mapping[str, Any]


def tool_properties(stored: StoredTool, tenant: str) -> dict[str, Any]:
    """Return a tool as the properties of its node, but for how often it was used."""
    tool = stored.tool
    return {
        "tenant": tenant,
        "id": tool.id,
        "name": tool.name,
        "category": tool.category,
        "description": tool.description,
        "server": tool.server,
        "source": tool.source,
        "personas": sorted(tool.personas),
        "entityIds": list(tool.entity_ids),
        "flags": list(tool.flags),
        "schema": _json(tool.schema),
        "returns": _json(tool.returns),
        "vectors": vector_bytes(stored.vectors),
    }


def tool_in(node: Properties) -> StoredTool:
    """Return the tool of a node's properties."""
    vectors = _value(node, "vectors", bytes)
    tool = Tool(
        _text(node, "id"),
        _text(node, "name"),
        _text(node, "category"),
        _text(node, "description"),
        _object(node, "schema"),
        _object(node, "returns"),
        _text(node, "server"),
        _text(node, "source"),
        frozenset(_texts(node, "personas")),
        _texts(node, "entityIds"),
        _texts(node, "flags"),
        _value(node, "usageCount", int) or 0,
    )
    if vectors is None:
        return StoredTool(tool)
    return StoredTool(tool, np.frombuffer(vectors, np.float32).reshape(_VECTORS, -1))


def relation_row(relation: ToolRelation) -> dict[str, Any]:
    """Return a relation as a row of a statement: its ends, and the relationship's properties."""
    at = relation.deprecated_at
    properties = {
        "confidence": relation.confidence,
        "coOccurrences": relation.co_occurrences,
        "required": relation.required,
        "reason": relation.reason,
        "avgTimeBetween": relation.seconds_between,
        "version": relation.version,
        "deprecatedAt": at.astimezone(UTC) if at else None,
        "origin": relation.origin.value,
    }
    present = {name: value for name, value in properties.items() if value not in (None, "")}
    return {"source": relation.source, "target": relation.target, "properties": present}


def relation_in(source: str, target: str, kind: str, edge: Properties) -> ToolRelation:
    """Return the relation of a relationship's properties."""
    required = _value(edge, "required", bool)
    return ToolRelation(
        source,
        target,
        ToolLink(kind),
        _number(edge, "confidence"),
        _value(edge, "coOccurrences", int),
        True if required is None else required,
        _text(edge, "reason"),
        _number(edge, "avgTimeBetween"),
        _text(edge, "version"),
        _moment(edge, "deprecatedAt"),
        _known(LinkOrigin, edge, "origin", LinkOrigin.DECLARED),
    )


def use_properties(use: ToolUse, tenant: str, number: int) -> dict[str, Any]:
    """Return a use as the properties of its node; a list holds no null, so times are texts."""
    times = [call.at.astimezone(UTC).isoformat() if call.at else "" for call in use.calls]
    return {
        "tenant": tenant,
        "number": number,
        "id": use.id,
        "user": use.user,
        "at": use.at.astimezone(UTC) if use.at else None,
        "request": use.request,
        "outcome": use.outcome.value,
        "tools": [call.tool_id for call in use.calls],
        "times": times,
        "vector": vector_bytes(use.vector),
    }


def use_in(node: Properties) -> ToolUse:
    """Return the use of a node's properties."""
    vector, tools, times = (
        _value(node, "vector", bytes),
        _texts(node, "tools"),
        _texts(node, "times"),
    )
    if len(tools) != len(times):
        raise other_schema("A ToolUse in Neo4j has another number of times than of tools.")
    return ToolUse(
        _text(node, "id"),
        tuple(UsedTool(tool, _iso(at)) for tool, at in zip(tools, times, strict=True)),
        _text(node, "request"),
        _text(node, "user"),
        _moment(node, "at"),
        _known(Outcome, node, "outcome", Outcome.DONE),
        None if vector is None else np.frombuffer(vector, np.float32),
        _value(node, "number", int) or 0,
    )


def vector_bytes(vectors: NDArray[np.float32] | None) -> bytes | None:
    """Return vectors as bytes, which the driver passes on as they are."""
    return None if vectors is None else np.ascontiguousarray(vectors, np.float32).tobytes()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _value(held: Properties, name: str, kind: type[T]) -> T | None:
    value = held.get(name)
    if value is None or type(value) is kind:
        return value
    raise other_schema(f"In Neo4j {name} of a node or relationship is no {kind.__name__}.")


def _text(held: Properties, name: str) -> str:
    return _value(held, name, str) or ""


def _number(held: Properties, name: str) -> float | None:
    value = held.get(name)
    return float(value) if type(value) is int else _value(held, name, float)


def _texts(held: Properties, name: str) -> tuple[str, ...]:
    values = _value(held, name, list) or []
    if not all(type(one) is str for one in values):
        raise other_schema(f"In Neo4j {name} of a node is no list of texts.")
    return tuple(values)


def _object(held: Properties, name: str) -> Mapping[str, Any]:
    try:
        found = json.loads(_text(held, name) or "{}")
    except ValueError:
        found = None
    if type(found) is not dict:
        raise other_schema(f"In Neo4j {name} of a Tool is no JSON object.")
    return found


def _moment(held: Properties, name: str) -> datetime | None:
    """Return a moment, also of a text such as 2024-01-01, as specification 003 writes one."""
    if type(held.get(name)) is str:
        return _iso(held[name])
    value = _value(held, name, DateTime)
    return None if value is None else _in_utc(value.to_native())


def _iso(text: str) -> datetime | None:
    try:
        return _in_utc(datetime.fromisoformat(text)) if text else None
    except ValueError:
        raise other_schema("In Neo4j a text is no moment where one must be.") from None


def _in_utc(moment: datetime) -> datetime:
    """Return a moment in UTC, as all are that are written here."""
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _known(kind: type[Any], held: Properties, name: str, default: Any) -> Any:
    try:
        return kind(_text(held, name) or default)
    except ValueError:
        raise other_schema(f"In Neo4j {name} has a value that is unknown.") from None
