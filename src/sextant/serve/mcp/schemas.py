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
_FAR_OFF = {"maxLength": 1_000, "maxItems": 200, "maxProperties": 100}
"""Bounds from here on keep a server from harm; no caller meets them who does not try to."""
_FAR_OFF_NUMBER = 1e6
"""The same for numbers, as weights and the parts of vectors have them."""
_LARGEST = ("maximum", "minimum")
_LEFT_OUT_OF_REQUESTS = frozenset({"title", "pattern"})
_LEFT_OUT_OF_RESULTS = frozenset(
    {"title", "examples", "default", "format", "maxItems", "maximum", "minimum", "required"}
)

Node = dict[str, Any]


def input_schema(model: type[BaseModel], defaults: Mapping[str, object]) -> Node:
    """Return what a tool takes; null and nothing are as good as left out, so neither is told.

    What it is for as a whole, the tool itself says. Bounds that are far off are checked and told by
    who is over them. Defaults by the names of fields are those that the model does not know.
    """
    schema = _but(_Writing(is_input=True).node(inlined(model)), "description")
    for name, value in defaults.items():
        schema["properties"][name]["default"] = value
    return schema


def output_schema(model: type[BaseModel]) -> Node:
    """Return what a tool gives; no examples and bounds, as whoever reads it has the real thing.

    Nor what an object is as a whole: the names of its fields tell that.
    """
    whole = inlined(model, "serialization")
    written = _Writing(is_input=False).node(whole)
    # Of what lies deeper, all is always there.
    return {**written, "required": whole.get("required", [])}


@dataclass(frozen=True, slots=True)
class _Writing:
    """How one schema is written; of what is not needed it goes without saying that it has text."""

    is_input: bool
    is_needed: bool = True

    def node(self, node: Node) -> Node:
        """Return a part of a schema, and all below it."""
        if self.is_input:
            node = _without_far_off(_without_nothing(node), is_needed=self.is_needed)
        else:
            node = _with_null_in_its_type(_but(node, "description") if _is_object(node) else node)
        if "description" in node:
            node = {**node, "description": node["description"].partition("\n\n")[0]}
        left_out = _LEFT_OUT_OF_REQUESTS if self.is_input else _LEFT_OUT_OF_RESULTS
        return {
            name: self._properties(node) if name == "properties" else self._value(own)
            for name, own in node.items()
            if (name not in left_out or isinstance(own, dict)) and (name, own) != _ANYTHING
        }

    def _value(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._value(one) for one in value]
        return self.node(value) if isinstance(value, dict) else value

    def _properties(self, node: Node) -> Node:
        """Keep the names of properties, whatever they are."""
        needed = node.get("required", ())
        return {
            name: _Writing(self.is_input, name in needed).node(one)
            for name, one in node["properties"].items()
        }


def _without_nothing(node: Node) -> Node:
    """Return a part that does not say that it may be null, or that it is nothing by default.

    Nor do its kinds say what they are for, where it says that itself.
    """
    default = node.get("default")
    if not default and default is not False:
        node = _but(node, "default")
    kinds, own = node.get("anyOf", []), _but(node, "anyOf")
    rest = [one for one in kinds if one != _NULL]
    if len(rest) == 1:
        return {**rest[0], **own}
    told = [_but(one, "description") for one in rest] if "description" in node else rest
    return {"anyOf": told, **own} if rest else node


def _without_far_off(node: Node, *, is_needed: bool) -> Node:
    """Return a part without the bounds that nobody meets; those of whole numbers are told."""
    left_out = {name for name in _FAR_OFF if node.get(name, 0) >= _FAR_OFF[name]}
    if node.get("type") == "number":
        left_out |= {name for name in _LARGEST if abs(node.get(name, 0)) >= _FAR_OFF_NUMBER}
    if node.get("format") == "date-time":
        left_out.add("maxLength")
    if not is_needed and node.get("minLength") == 1:
        left_out.add("minLength")
    return _but(node, *left_out)


def _with_null_in_its_type(node: Node) -> Node:
    """Return a part that may be a plain value or null with both as its types."""
    kinds = node.get("anyOf", [])
    rest = [one for one in kinds if one != _NULL]
    if len(rest) != 1 or len(kinds) != 2 or not isinstance(rest[0].get("type"), str):
        return node
    return {**_but(node, "anyOf"), **rest[0], "type": [rest[0]["type"], "null"]}


def _is_object(node: Node) -> bool:
    return "properties" in node


def _but(node: Node, *names: str) -> Node:
    return {name: own for name, own in node.items() if name not in names}
