"""What the scripted servers answer: the same to the same question. Knows no protocol.

A word is a token. It refuses what has "forbidden" in it, calls the tool whose name is in the
question, obeys a schema with the smallest value that there is, and repeats what it is told to.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

REPEAT = "Repeat after me: "


@dataclass(frozen=True)
class Asked:
    """A request, whatever protocol it came by."""

    question: str
    words: int
    tools: dict[str, dict[str, Any]]
    choice: str = "auto"
    results: tuple[str, ...] = ()
    schema: dict[str, Any] | None = None
    stop: tuple[str, ...] = ()
    max_tokens: int = 0


@dataclass(frozen=True)
class Said:
    """A reply: a text or a call, and why it ended: stop, length, tools or refused."""

    text: str = ""
    call: tuple[str, dict[str, Any]] | None = None
    reason: str = "stop"

    @property
    def pieces(self) -> list[str]:
        return re.findall(r"\s*\S+\s*?", self.text) or [self.text]

    @property
    def tokens(self) -> int:
        return len(self.text.split()) or 1


def reply(asked: Asked) -> Said:
    """Answer the question."""
    if "forbidden" in asked.question:
        return Said("I cannot", reason="refused")
    if name := _tool(asked):
        return Said(call=(name, _arguments(asked.tools[name], asked.question)), reason="tools")
    return _cut(_text(asked), asked)


def smallest(schema: dict[str, Any], root: dict[str, Any] | None = None) -> Any:
    """Return the smallest value that obeys a schema."""
    root = root or schema
    if "$ref" in schema:
        node: Any = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            node = node[step]
        return smallest(node, root)
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    for alternatives in (schema.get("anyOf"), schema.get("oneOf")):
        if alternatives:
            return smallest(alternatives[0], root)
    kind = schema.get("type", "string")
    if kind == "object":
        wanted = schema.get("required", ())
        return {name: smallest(schema["properties"][name], root) for name in wanted}
    if kind == "array":
        return [smallest(schema["items"], root)] * schema.get("minItems", 0)
    return {"string": "text", "integer": 0, "number": 0.5, "boolean": False, "null": None}[kind]


def _tool(asked: Asked) -> str:
    if asked.choice == "none" or asked.results or not asked.tools:
        return ""
    if asked.choice in asked.tools:
        return asked.choice
    named = [name for name in asked.tools if name in asked.question]
    if not named and asked.choice == "required":
        named = list(asked.tools)
    return next(iter(named), "")


def _arguments(schema: dict[str, Any], question: str) -> dict[str, Any]:
    place = re.search(r"\bin ([A-Z]\w+)", question)
    value: dict[str, Any] = smallest(schema)
    return {name: place[1] if place and one == "text" else one for name, one in value.items()}


def _text(asked: Asked) -> str:
    if asked.schema is not None:
        return json.dumps(smallest(asked.schema))
    if asked.results:
        return f"The tools say: {' '.join(asked.results)}"
    if REPEAT in asked.question:
        return asked.question.partition(REPEAT)[2]
    return f"Hello! You said: {asked.question}"


def _cut(text: str, asked: Asked) -> Said:
    for word in asked.stop:
        text = text.partition(word)[0]
    words = text.split()
    if asked.max_tokens and len(words) > asked.max_tokens:
        return Said(" ".join(words[: asked.max_tokens]), reason="length")
    return Said(text)
