"""CopilotKit's list of an action's parameters, and the JSON schema that it stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_DEEPEST = 8
"""Objects in objects that are told; what is nested deeper is told as an object of any shape."""
_SCALARS = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean"}
_LIST = "[]"
_DEFINITIONS = "#/$defs/"


def parameters_in(schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the parameters that a JSON schema of an object describes."""
    definitions = schema.get("$defs")
    return _attributes(schema, definitions if isinstance(definitions, Mapping) else {}, _DEEPEST)


def schema_of(parameters: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the JSON schema that a list of parameters stands for."""
    known = [one for one in parameters if isinstance(one.get("name"), str)]
    return {
        "type": "object",
        "properties": {one["name"]: _property(one) for one in known},
        "required": [one["name"] for one in known if one.get("required", True) is not False],
    }


def _attributes(
    schema: Mapping[str, Any], definitions: Mapping[str, Any], depth: int
) -> list[dict[str, Any]]:
    properties, required = schema.get("properties"), schema.get("required")
    if depth <= 0 or not isinstance(properties, Mapping):
        return []
    needed = required if isinstance(required, Sequence) else ()
    return [
        {"name": name, "required": name in needed, **_described(own, definitions, depth)}
        for name, own in properties.items()
    ]


def _described(own: Any, definitions: Mapping[str, Any], depth: int) -> dict[str, Any]:
    schema = _resolved(own, definitions)
    description = schema.get("description") or (
        own.get("description") if isinstance(own, Mapping) else ""
    )
    told: dict[str, Any] = {"type": "string", "description": description or ""}
    kind = schema.get("type")
    if kind == "array":
        item = _described(schema.get("items"), definitions, depth - 1) if depth > 0 else told
        told["type"] = item["type"].removesuffix(_LIST) + _LIST
        if "attributes" in item:
            told["attributes"] = item["attributes"]
    elif kind == "object":
        told |= {"type": "object", "attributes": _attributes(schema, definitions, depth - 1)}
    elif isinstance(kind, str):
        told["type"] = _SCALARS.get(kind, "string")
    if told["type"] == "string" and isinstance(schema.get("enum"), list):
        told["enum"] = [one for one in schema["enum"] if isinstance(one, str)]
    return told


def _resolved(own: Any, definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a schema refers to, or the first of its choices that is something."""
    for _ in range(_DEEPEST):
        if not isinstance(own, Mapping):
            break
        choices = own.get("anyOf") or own.get("oneOf")
        if "$ref" in own:
            own = definitions.get(str(own["$ref"]).removeprefix(_DEFINITIONS))
        elif isinstance(choices, list):
            own = next((one for one in choices if one != {"type": "null"}), {})
        else:
            return own
    return {}


def _property(parameter: Mapping[str, Any]) -> dict[str, Any]:
    kind, attributes = parameter.get("type") or "string", parameter.get("attributes")
    single = str(kind).removesuffix(_LIST)
    made: dict[str, Any] = {"type": single}
    if single == "object" and isinstance(attributes, list):
        made = schema_of([one for one in attributes if isinstance(one, Mapping)])
    if isinstance(parameter.get("enum"), list):
        made["enum"] = parameter["enum"]
    if single != kind:
        made = {"type": "array", "items": made}
    return made | {"description": str(parameter.get("description") or "")}
