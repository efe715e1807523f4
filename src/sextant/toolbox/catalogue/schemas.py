"""JSON Schemas from outside: made plain JSON within bounds, and checked for being schemas.

The check looks at what selecting and calling a tool rely on: the full one takes milliseconds for
each, which is minutes at 50,000 tools.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sextant.errors import InvalidInput, TooLarge

DEEPEST = 32
"""As deep as values of nouns may be that are kept as JSON."""
MOST_VALUES = 20_000
"""The largest schema of the 527 tools of LiveMCPBench has 1,129 values."""

_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})
_SMALLER = "Describe the tool with a smaller schema."


def plain_json(value: Any, *, most: int = MOST_VALUES) -> Any:
    """Return a value with nothing in it but what JSON has, or raise TooLarge.

    Keys become texts, as YAML has numbers there; dates become texts; halves of surrogate pairs go.
    """
    return _Plain(most).value(value, 0)


class _Plain:
    def __init__(self, left: int) -> None:
        self._left = left

    def value(self, value: Any, depth: int) -> Any:
        self._left -= 1
        if self._left < 0:
            raise TooLarge("it has too many values", _SMALLER)
        if depth > DEEPEST:
            raise TooLarge(f"it is nested deeper than {DEEPEST}", _SMALLER)
        if isinstance(value, Mapping):
            return {
                without_surrogates(str(key)): self.value(own, depth + 1)
                for key, own in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.value(own, depth + 1) for own in value]
        if isinstance(value, str):
            return without_surrogates(value)
        if isinstance(value, float) and not math.isfinite(value):
            return None
        return value if value is None or isinstance(value, bool | int | float) else str(value)


def without_surrogates(text: str) -> str:
    """Return a text without halves of surrogate pairs, which JSON can spell and nobody can keep."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def checked_parameters(schema: Any) -> Mapping[str, Any]:
    """Return the schema of a tool's parameters, which are one object, or say what is wrong."""
    checked = checked_schema(schema)
    kind = checked.get("type", "object")
    if "object" not in ([kind] if isinstance(kind, str) else kind):
        raise InvalidInput(f"its parameters are of type {kind!r}, not an object", "Correct it.")
    return checked


def checked_schema(schema: Any) -> Mapping[str, Any]:
    """Return a schema as plain JSON, or say in half a sentence why it is none."""
    if not isinstance(schema, Mapping):
        raise InvalidInput(f"its schema is a {type(schema).__name__}, not an object", "Correct it.")
    made: dict[str, Any] = plain_json(schema)
    _check(made, "schema")
    return made


def _check(schema: Any, place: str) -> None:
    if isinstance(schema, bool):
        return
    if not isinstance(schema, Mapping):
        raise _wrong(place, "is no schema")
    _check_type(schema.get("type"), place)
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(one, str) for one in required):
        raise _wrong(place, "requires something else than names")
    for name in ("properties", "$defs", "definitions"):
        inner = schema.get(name, {})
        if not isinstance(inner, Mapping):
            raise _wrong(place, f"has {name} that are no object")
        for key, own in inner.items():
            _check(own, f"{place}.{key}")
    for name in ("items", "additionalProperties", "not", "anyOf", "oneOf", "allOf"):
        for own in _as_list(schema.get(name, [])):
            _check(own, f"{place}.{name}")


def _check_type(kind: Any, place: str) -> None:
    kinds = [kind] if isinstance(kind, str) else kind
    if kind is None or (isinstance(kinds, list) and kinds and all(one in _TYPES for one in kinds)):
        return
    raise _wrong(place, f"has the unknown type {str(kind)[:40]!r}")


def _as_list(value: Any) -> Sequence[Any]:
    """Return one schema or several; of ``items``, older drafts have a list."""
    return value if isinstance(value, list) else [value]


def _wrong(place: str, what: str) -> InvalidInput:
    return InvalidInput(f"its {place[:120]} {what}", "Correct it there.")
