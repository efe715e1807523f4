"""A prompt as the Messages API takes it. Knows the wire form, no connection."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

import anthropic

from sextant.llms.wire import ABOVE, arguments_of, as_utf8, base64_of, orders
from sextant.types import (
    ANY_TOOL,
    AUTO,
    NO_TOOL,
    Image,
    Message,
    Prompt,
    Schema,
    Speaker,
    ToolCall,
    ToolSpec,
)

TOKENS = 8_192
"""How long a reply may be where the prompt does not say; the API wants a number."""

Block = dict[str, Any]


def request_for(model: str, prompt: Prompt) -> dict[str, Any]:
    """Return the arguments of ``messages.create``.

    The temperature is left out: since its version 2026-10-21, which the SDK speaks, the API has
    none and refuses a request that names one.
    """
    request: dict[str, Any] = {
        "model": model,
        "max_tokens": prompt.max_tokens or TOKENS,
        "messages": _turns(one for one in prompt.messages if one.speaker not in ABOVE),
    }
    if system := orders(prompt.messages):
        request["system"] = system
    if prompt.stop:
        request["stop_sequences"] = list(prompt.stop)
    if prompt.tools:
        request["tools"] = [_tool(one) for one in prompt.tools]
        request["tool_choice"] = _choice(prompt.tool_choice)
    if prompt.schema is not None:
        request["output_config"] = {"format": _format(prompt.schema)}
    return request


def _turns(messages: Iterable[Message]) -> list[Block]:
    """Return turns that alternate: neighbours of one side are one turn."""
    spoken = [(_role(one), _blocks(one)) for one in messages]
    return [
        {"role": role, "content": [block for _, blocks in side for block in blocks]}
        for role, side in groupby((one for one in spoken if one[1]), key=lambda one: one[0])
    ]


def _role(message: Message) -> str:
    return "assistant" if message.speaker == Speaker.ASSISTANT else "user"


def _blocks(message: Message) -> list[Block]:
    # The API refuses a block of text that is blank.
    text: list[Block] = (
        [{"type": "text", "text": as_utf8(message.text)}] if message.text.strip() else []
    )
    blocks = [*text, *(_image(one) for one in message.images)]
    if message.speaker == Speaker.TOOL:
        return [{"type": "tool_result", "tool_use_id": message.call_id, "content": blocks}]
    return [*blocks, *(_call(one) for one in message.calls)]


def _image(image: Image) -> Block:
    source = (
        {"type": "url", "url": image.url}
        if image.url
        else {"type": "base64", "media_type": image.media_type, "data": base64_of(image)}
    )
    return {"type": "image", "source": source}


def _call(call: ToolCall) -> Block:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments_of(call)}


def _tool(tool: ToolSpec) -> Block:
    return {
        "name": tool.name,
        "description": as_utf8(tool.description),
        "input_schema": {"type": "object", **tool.parameters},
    }


def _choice(choice: str) -> Block:
    known = {AUTO: "auto", NO_TOOL: "none", ANY_TOOL: "any"}
    return {"type": known[choice]} if choice in known else {"type": "tool", "name": choice}


def _format(schema: Schema) -> Block:
    # The API's own structured output holds the model to the schema while it writes, streams as
    # text and leaves the tools alone, which a forced tool call would not.
    return {"type": "json_schema", "schema": _strict(dict(schema.schema))}


def _strict(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the subset of the schema that the API enforces; the rest becomes its description."""
    try:
        return anthropic.transform_schema(_single_types(schema))
    except (ValueError, AssertionError):
        return schema


def _single_types(node: Any) -> Any:
    """Write a list of types as the alternatives that it means."""
    if isinstance(node, list):
        return [_single_types(one) for one in node]
    if not isinstance(node, dict):
        return node
    rest = {name: _single_types(one) for name, one in node.items() if not name.startswith("$sch")}
    types = rest.get("type")
    if not isinstance(types, list):
        return rest
    return {"anyOf": [{**rest, "type": one} for one in types]}
