"""Tools, relations and uses as rows, and back. Knows no statement."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sextant.stores.sqlite.truth.columns import check_numbers, check_texts, text_set_in
from sextant.stores.times import microseconds, moment
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


def tool_row(stored: StoredTool) -> tuple[str, str, str, str, bytes | None]:
    """Return a tool as its row."""
    tool = stored.tool
    body = {
        "name": tool.name,
        "description": tool.description,
        "server": tool.server,
        "source": tool.source,
        "entity_ids": tool.entity_ids,
        "flags": tool.flags,
        "schema": tool.schema,
        "returns": tool.returns,
    }
    personas = json.dumps(sorted(tool.personas))
    return tool.id, tool.category, personas, _json(body), blob_of(stored.vectors)


def tool_in(row: Sequence[Any]) -> StoredTool:
    """Return the tool of a row: id, category, personas, body, vectors, usage."""
    name, category, personas, body, vectors, usage = row
    check_texts(name, category, personas, body)
    check_numbers(usage)
    held = _object(body)
    tool = Tool(
        name,
        held["name"],
        category,
        held["description"],
        held["schema"],
        held["returns"],
        held["server"],
        held["source"],
        text_set_in(personas),
        tuple(held["entity_ids"]),
        tuple(held["flags"]),
        usage or 0,
    )
    return StoredTool(tool, _vectors(vectors))


def relation_row(relation: ToolRelation) -> tuple[str, str, str, float | None, str]:
    """Return a relation as its row."""
    at = relation.deprecated_at
    body = {
        "co_occurrences": relation.co_occurrences,
        "required": relation.required,
        "reason": relation.reason,
        "seconds_between": relation.seconds_between,
        "version": relation.version,
        "deprecated_at": microseconds(at) if at else None,
        "origin": relation.origin.value,
    }
    return *relation.key, relation.confidence, _json(body)


def relation_in(row: Sequence[Any]) -> ToolRelation:
    """Return the relation of a row."""
    source, target, kind, confidence, body = row
    check_texts(source, target, kind, body)
    check_numbers(confidence)
    held = _object(body)
    return ToolRelation(
        source,
        target,
        _known(ToolLink, kind),
        confidence,
        held["co_occurrences"],
        held["required"],
        held["reason"],
        held["seconds_between"],
        held["version"],
        moment(held["deprecated_at"]),
        _known(LinkOrigin, held["origin"]),
    )


def use_row(use: ToolUse) -> tuple[str, str, int | None, str, str, str, bytes | None]:
    """Return a use as its row, without its number."""
    calls = [(one.tool_id, microseconds(one.at) if one.at else None) for one in use.calls]
    at = microseconds(use.at) if use.at else None
    return use.id, use.user, at, use.request, use.outcome.value, _json(calls), blob_of(use.vector)


def use_in(row: Sequence[Any]) -> ToolUse:
    """Return the use of a row: number, id, user, at, request, outcome, calls, vector."""
    number, name, user, at, request, outcome, calls, vector = row
    check_texts(name, user, request, outcome, calls)
    check_numbers(number, at)
    called = tuple(UsedTool(tool, moment(when)) for tool, when in json.loads(calls))
    kept = None if vector is None else np.frombuffer(vector, np.float32)
    return ToolUse(name, called, request, user, moment(at), _known(Outcome, outcome), kept, number)


def blob_of(vectors: NDArray[np.float32] | None) -> bytes | None:
    """Return vectors as bytes."""
    return None if vectors is None else np.ascontiguousarray(vectors, np.float32).tobytes()


def _vectors(blob: bytes | None) -> NDArray[np.float32] | None:
    return None if blob is None else np.frombuffer(blob, np.float32).reshape(_VECTORS, -1)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _object(text: str) -> Mapping[str, Any]:
    found = json.loads(text)
    if type(found) is not dict:
        raise TypeError("A column holds no object.")
    return found


def _known(kind: Any, value: str) -> Any:
    try:
        return kind(value)
    except ValueError:
        raise TypeError(f"A column holds {value[:40]!r}, which is unknown.") from None
