"""Schemas of an API description without references: each is put in its place, within bounds.

What refers to itself is cut where it comes again; what stands in another file is never fetched.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

_DEEPEST = 12
"""Nesting beyond this no model reads; the deepest request of GitHub's API has 9."""
_LONGEST_CHAIN = 24
"""References behind references: twice as deep as anything is written out."""
_MOST_VALUES = 4_000
"""A schema written out beyond this is cut; one value is about four tokens."""
_DEEPEST_RETURNED = 5
_MOST_RETURNED = 500
"""Of what comes back, only what other calls can take is looked at, and no model reads it."""
_DROPPED = frozenset(
    ["example", "examples", "xml", "externalDocs", "discriminator", "collectionFormat", "$schema"]
)
_BOUNDS = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}


class References:
    """Resolves what the parts of one description refer to."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self.outside: set[str] = set()
        """References to other files, which nobody followed."""

    def part(self, value: Any, most: int = 8) -> Mapping[str, Any]:
        """Return an object of the description itself, such as a parameter, behind its reference."""
        for _ in range(most):
            if not isinstance(value, Mapping):
                return {}
            target = value.get("$ref")
            if not isinstance(target, str):
                return value
            value = self.target(target)
        return {}

    def schema(self, value: Any, *, is_request: bool) -> dict[str, Any]:
        """Return a schema written out; a request has no read-only properties."""
        bounds = (_DEEPEST, _MOST_VALUES) if is_request else (_DEEPEST_RETURNED, _MOST_RETURNED)
        made = _Writing(self, is_request, *bounds).schema(value, (), 0)
        return made if isinstance(made, dict) else {}

    def target(self, reference: str) -> Any:
        """Return what a reference names in this description; nothing of any other file."""
        if not reference.startswith("#/"):
            self.outside.add(reference[:200])
            return None
        found: Any = self._root
        for step in reference[2:].split("/"):
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(found, list):
                found = found[int(key)] if key.isdecimal() and int(key) < len(found) else None
            else:
                found = found.get(key) if isinstance(found, Mapping) else None
        return found


class _Writing:
    """One schema being written out."""

    def __init__(self, references: References, is_request: bool, deepest: int, most: int) -> None:
        self._references = references
        self._is_request = is_request
        self._deepest = deepest
        self._left = most

    def schema(self, value: Any, within: tuple[str, ...], depth: int) -> Any:
        """Return a schema in which no reference is left; within are those it stands behind."""
        if not isinstance(value, Mapping):
            return value if isinstance(value, bool) else {}
        reference = value.get("$ref")
        if isinstance(reference, str):
            return self._referred(reference, value, within, depth)
        self._left -= len(value)
        if depth >= self._deepest or self._left < 0:
            return _cut(value)
        kept = {
            str(key): self._keyword(str(key), own, within, depth)
            for key, own in value.items()
            if key not in _DROPPED and not str(key).startswith("x-")
        }
        return _modern(self._without_read_only(kept))

    def _referred(
        self, reference: str, value: Mapping[str, Any], within: tuple[str, ...], depth: int
    ) -> Any:
        target = self._references.target(reference)
        name = reference.rpartition("/")[2][:80]
        is_again = reference in within or len(within) >= _LONGEST_CHAIN
        if is_again or not isinstance(target, Mapping):
            return {"title": unquote(name)}
        written = self.schema(target, (*within, reference), depth)
        beside = value.get("description")
        if isinstance(beside, str) and isinstance(written, dict):
            written = {**written, "description": beside}
        return written

    def _keyword(self, key: str, own: Any, within: tuple[str, ...], depth: int) -> Any:
        if key == "properties" and isinstance(own, Mapping):
            return {str(name): self.schema(one, within, depth + 1) for name, one in own.items()}
        if key in ("items", "additionalProperties", "not"):
            return self.schema(own, within, depth + 1)
        if key in ("allOf", "anyOf", "oneOf") and isinstance(own, list):
            return [self.schema(one, within, depth + 1) for one in own]
        return own

    def _without_read_only(self, kept: dict[str, Any]) -> dict[str, Any]:
        properties = kept.get("properties")
        if not self._is_request or not isinstance(properties, dict):
            return kept
        hidden = {name for name, own in properties.items() if _is_read_only(own)}
        required = kept.get("required")
        if isinstance(required, list):
            kept["required"] = [name for name in required if name not in hidden]
        kept["properties"] = {n: own for n, own in properties.items() if n not in hidden}
        return kept


def _is_read_only(schema: Any) -> bool:
    return isinstance(schema, Mapping) and schema.get("readOnly") is True


def _cut(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return of a schema what it is, without what is in it."""
    return {key: value[key] for key in ("type", "title", "description") if key in value}


def _modern(schema: dict[str, Any]) -> dict[str, Any]:
    """Return what OpenAPI 3.0 and Swagger 2 write their own way as JSON Schema has it."""
    kind = schema.get("type")
    if schema.pop("nullable", False) is True and isinstance(kind, str):
        schema["type"] = [kind, "null"]
    if kind == "file":  # an upload of Swagger 2
        schema |= {"type": "string", "format": "binary"}
    for exclusive, bound in _BOUNDS.items():
        if isinstance(schema.get(exclusive), bool):
            is_exclusive = schema.pop(exclusive)
            if is_exclusive and bound in schema:
                schema[exclusive] = schema.pop(bound)
    if isinstance(schema.get("required"), bool):  # of a parameter, or of draft 3
        del schema["required"]
    return schema
