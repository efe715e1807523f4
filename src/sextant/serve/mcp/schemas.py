"""JSON schemas of wire models as MCP clients like them: whole, without references or titles."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

_REFERENCE = "#/$defs/"


def input_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return what a tool takes."""
    return _schema(model, "validation")


def output_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return what a tool gives."""
    return _schema(model, "serialization")


def _schema(model: type[BaseModel], mode: Literal["validation", "serialization"]) -> dict[str, Any]:
    whole = model.model_json_schema(by_alias=True, mode=mode)
    known = whole.pop("$defs", {})
    found: dict[str, Any] = _inlined(whole, known)
    return found


def _inlined(node: Any, known: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_inlined(one, known) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        node = known[node["$ref"].removeprefix(_REFERENCE)] | {
            name: own for name, own in node.items() if name != "$ref"
        }
    return {
        name: _properties(own, known) if name == "properties" else _inlined(own, known)
        for name, own in node.items()
        if name != "title" or not isinstance(own, str)
    }


def _properties(own: Any, known: dict[str, Any]) -> Any:
    """Keep the names of properties, whatever they are."""
    return {name: _inlined(one, known) for name, one in own.items()}
