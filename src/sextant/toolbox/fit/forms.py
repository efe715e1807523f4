"""A tool as a model reads it, in three lengths. Schemas may be huge or refer to themselves."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sextant.text.prose.sentences import sentence_spans
from sextant.types import Detail, Tool

_DEEPEST = 4
"""Levels of a trimmed schema; none of 527 real MCP tools has more that matter to a caller."""
_MOST_PARAMETERS = 60  # of an object in a trimmed schema
_MOST_IN_LINE = 12  # parameters of a signature; the rest is an ellipsis
_MOST_CHOICES = 20
_LONGEST_SENTENCE = 200


def write_form(tool: Tool, detail: Detail) -> str:
    """Return a tool as text, at a level of detail."""
    if detail is Detail.FULL:
        return _full(tool)
    if detail is Detail.TRIMMED:
        return _compact(
            {
                "name": tool.id,
                "description": _summary(tool),
                "inputSchema": _trim(tool.schema, tool.schema, _DEEPEST, frozenset()),
            }
        )
    return f"{tool.id}({', '.join(_signature(tool.schema))}): {_summary(tool)}".rstrip(": ")


def _full(tool: Tool) -> str:
    own: dict[str, Any] = {"name": tool.id, "description": tool.description}
    return _compact({**own, "inputSchema": tool.schema or _ANYTHING})


_ANYTHING = {"type": "object"}


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=dict)


def _summary(tool: Tool) -> str:
    """Return the first sentence of a description, or the name if it has none."""
    text = " ".join(tool.description[: 2 * _LONGEST_SENTENCE].split())
    first = next(iter(sentence_spans(text)), (0, 0))
    found = text[slice(*first)] or tool.name
    return found if len(found) <= _LONGEST_SENTENCE else f"{found[: _LONGEST_SENTENCE - 1]}…"


def _trim(
    schema: object, root: Mapping[str, Any], depth: int, open_refs: frozenset[str]
) -> dict[str, Any]:
    """Return of a schema only what a caller must know: names, types, choices, what is required."""
    if not isinstance(schema, Mapping):
        return {}
    ref = schema.get("$ref")
    if isinstance(ref, str):
        if ref in open_refs or depth == 0:
            return dict(_ANYTHING)
        return _trim(_referred(ref, root), root, depth, open_refs | {ref})
    kept = {name: schema[name] for name in ("type", "const") if name in schema}
    if isinstance(schema.get("enum"), list):
        kept["enum"] = schema["enum"][:_MOST_CHOICES]
    if depth:
        kept |= _parts(schema, root, depth - 1, open_refs)
    return kept


def _parts(
    schema: Mapping[str, Any], root: Mapping[str, Any], depth: int, open_refs: frozenset[str]
) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    names = _properties(schema)
    if names:
        kept["properties"] = {
            name: _trim(names[name], root, depth, open_refs) for name in _chosen(schema)
        }
    if isinstance(schema.get("required"), list) and schema["required"]:
        kept["required"] = schema["required"]
    if "items" in schema:
        kept["items"] = _trim(schema["items"], root, depth, open_refs)
    for several in ("anyOf", "oneOf", "allOf"):
        if isinstance(schema.get(several), list):
            own = schema[several][:_MOST_CHOICES]
            kept[several] = [_trim(one, root, depth, open_refs) for one in own]
    return kept


def _referred(ref: str, root: Mapping[str, Any]) -> object:
    """Return what a reference within the schema names, or nothing."""
    own: object = root
    for step in ref.removeprefix("#").split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        own = own.get(name) if isinstance(own, Mapping) else None
    return own


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    own = schema.get("properties")
    return own if isinstance(own, Mapping) else {}


def _chosen(schema: Mapping[str, Any]) -> list[str]:
    """Return the names of the first parameters, all required ones before the others."""
    needed = schema.get("required")
    required = frozenset(map(str, needed)) if isinstance(needed, list) else frozenset[str]()
    names = sorted(_properties(schema), key=lambda name: name not in required)
    return names[: max(_MOST_PARAMETERS, len(required & set(names)))]


def _signature(schema: Mapping[str, Any]) -> Iterator[str]:
    needed = schema.get("required")
    required = frozenset(map(str, needed)) if isinstance(needed, list) else frozenset[str]()
    names = _chosen(schema)
    for name in names[:_MOST_IN_LINE]:
        kind = _kind(_properties(schema)[name])
        yield f"{name}{'' if name in required else '?'}{f': {kind}' if kind else ''}"
    if len(_properties(schema)) > _MOST_IN_LINE:
        yield "…"


def _kind(schema: object) -> str:
    own = schema.get("type") if isinstance(schema, Mapping) else None
    if isinstance(own, list):
        return "|".join(map(str, own))
    return own if isinstance(own, str) else ""
