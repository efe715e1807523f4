"""JSON schemas of wire models as MCP clients like them: whole, without references, and short.

A client sends them to its model with every question, so what tells nothing is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from sextant.serve.wire.common.models import inlined

_NULL = {"type": "null"}

Node = dict[str, Any]


def input_schema(model: type[BaseModel]) -> Node:
    """Return what a tool takes; null and nothing are as good as left out, so neither is told.

    What it is for as a whole, the tool itself says.
    """
    return _but(_Writing(is_input=True).node(inlined(model)), "description")


def output_schema(model: type[BaseModel]) -> Node:
    """Return what a tool gives; no examples, as whoever reads it has the real thing.

    Bounds of lists and defaults are for replies that are sent back.
    """
    return _Writing(is_input=False).node(inlined(model, "serialization"))


@dataclass(frozen=True, slots=True)
class _Writing:
    """How one schema is written."""

    is_input: bool

    def node(self, node: Node) -> Node:
        """Return a part of a schema, and all below it."""
        if self.is_input:
            node = _without_nothing(node)
        left_out = {"title"} if self.is_input else {"title", "examples", "maxItems", "default"}
        return {
            name: self._properties(own) if name == "properties" else self._value(own)
            for name, own in node.items()
            if name not in left_out or isinstance(own, dict)
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


def _but(node: Node, *names: str) -> Node:
    return {name: own for name, own in node.items() if name not in names}
