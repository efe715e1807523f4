"""Replies as OpenAI's chat completions write them, made up to suit a request. Knows no socket."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

MODEL = "fault-1"
_USAGE = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}


def saying(text: str) -> Iterator[Any]:
    """Return the chunks of a reply in words."""
    yield _chunk({"role": "assistant", "content": ""})
    for piece in re.findall(r"\S+\s*|\s+", text):
        yield piece_of(piece)
    yield _chunk({}, "stop")
    yield {**_chunk({}), "choices": [], "usage": _USAGE}


def piece_of(text: str) -> Any:
    """Return one chunk in the middle of a reply."""
    return _chunk({"content": text})


def calling(body: Any, name: str = "") -> Iterator[Any]:
    """Return the chunks of a reply that calls the tool that is wanted, or the one named."""
    tools = [one["function"] for one in body.get("tools", ())]
    choice = body.get("tool_choice")
    wanted = choice["function"]["name"] if isinstance(choice, dict) else ""
    tool = next((one for one in tools if one["name"] == wanted), tools[0] if tools else {})
    arguments = json.dumps(instance(tool.get("parameters", {}), "sea"))
    begun = {"id": "call_1", "type": "function", "index": 0}
    named = {"name": name or tool.get("name", "nothing"), "arguments": ""}
    yield _chunk({"role": "assistant", "tool_calls": [{**begun, "function": named}]})
    for half in (arguments[:4], arguments[4:]):
        yield _chunk({"tool_calls": [{"index": 0, "function": {"arguments": half}}]})
    yield _chunk({}, "tool_calls")
    yield {**_chunk({}), "choices": [], "usage": _USAGE}


def whole_of(chunks: Iterable[Any]) -> Any:
    """Return a reply in one piece."""
    deltas = [choice["delta"] for one in chunks for choice in one["choices"]]
    text = "".join(one.get("content", "") for one in deltas)
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {**_chunk({}), "object": "chat.completion", "choices": [choice], "usage": _USAGE}


def worded(body: Any, text: str) -> str:
    """Return a text, as JSON where the request has a schema for it."""
    schema = _schema_of(body)
    return text if schema is None else json.dumps(instance(schema, text))


def unlike(body: Any) -> str:
    """Return JSON that breaks the schema of a request, whichever it is."""
    value = instance(_schema_of(body) or {}, "no")
    wrong = (
        {"surprise": True} if not isinstance(value, dict) else {name: {"no": 1} for name in value}
    )
    return json.dumps(wrong or [])


def instance(schema: Any, text: str) -> Any:
    """Return the smallest value that a simple schema takes, with this text for every text."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return instance(schema["anyOf"][0], text)
    kind = schema.get("type", "object")
    match kind if isinstance(kind, str) else kind[0]:
        case "object":
            inner = schema.get("properties", {})
            return {name: instance(inner.get(name, {}), text) for name in inner}
        case "array":
            return [instance(schema.get("items", {}), text)] * schema.get("minItems", 0)
        case "string":
            return text[: schema.get("maxLength", len(text))]
        case "number" | "integer":
            return max(schema.get("minimum", 0), 0)
        case "boolean":
            return True
    return None


def _schema_of(body: Any) -> Any:
    return (body.get("response_format") or {}).get("json_schema", {}).get("schema")


def _chunk(delta: Any, finish: str | None = None) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": MODEL,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
