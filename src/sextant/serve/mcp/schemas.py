"""JSON schemas of wire models as MCP clients like them: whole, without references, and short.

A client sends them to its model with every question, so what tells nothing is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from sextant.serve.wire.common.models import inlined

_NULL = {"type": "null"}
_ANYTHING = ("additionalProperties", True)
"""What goes without saying."""
_LEFT_OUT_OF_RESULTS = frozenset(
    {"title", "examples", "default", "maxItems", "maximum", "minimum", "required"}
)

Node = dict[str, Any]


def input_schema(model: type[BaseModel], defaults: Mapping[str, object]) -> Node:
    """Return what a tool takes; null and nothing are as good as left out, so neither is told.

    What it is for as a whole, the tool itself says. Defaults by the names of fields are those that
    the model does not know.
    """
    schema = _but(_Writing(is_input=True).node(inlined(model)), "description")
    for name, value in defaults.items():
        schema["properties"][name]["default"] = value
    return schema


def output_schema(model: type[BaseModel]) -> Node:
    """Return what a tool gives; no examples and bounds, as whoever reads it has the real thing."""
    whole = inlined(model, "serialization")
    written = _but(_Writing(is_input=False).node(whole), "description")
    # Of what lies deeper, all is always there.
    return {**written, "required": whole.get("required", [])}


@dataclass(frozen=True, slots=True)
class _Writing:
    """How one schema is written."""

    is_input: bool

    def node(self, node: Node) -> Node:
        """Return a part of a schema, and all below it."""
        node = _without_nothing(node) if self.is_input else _with_null_in_its_type(node)
        left_out = {"title"} if self.is_input else _LEFT_OUT_OF_RESULTS
        return {
            name: self._properties(own) if name == "properties" else self._value(own)
            for name, own in node.items()
            if (name not in left_out or isinstance(own, dict)) and (name, own) != _ANYTHING
        }

    def _value(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._value(one) for one in value]
        return self.node(value) if isinstance(value, dict) else value

    def _properties(self, own: Node) -> Node:
        """Keep the names of properties, whatever they are."""
        return {name: self._value(one) for name, one in own.items()}


def _without_nothing(node: Node) -> Node:
    """Return a part that does not say that it may be null, or that it is nothing by default."""
    if node.get("default") in (None, "", []):
        node = _but(node, "default")
    kinds = node.get("anyOf", [])
    if _NULL not in kinds:
        return node
    rest, own = [one for one in kinds if one != _NULL], _but(node, "anyOf")
    return rest[0] | own if len(rest) == 1 else {"anyOf": rest, **own}


def _with_null_in_its_type(node: Node) -> Node:
    """Return a part that may be a plain value or null with both as its types."""
    kinds = node.get("anyOf", [])
    rest = [one for one in kinds if one != _NULL]
    if len(rest) != 1 or len(kinds) != 2 or not isinstance(rest[0].get("type"), str):
        return node
    return {**_but(node, "anyOf"), **rest[0], "type": [rest[0]["type"], "null"]}


def _but(node: Node, *names: str) -> Node:
    return {name: own for name, own in node.items() if name not in names}
