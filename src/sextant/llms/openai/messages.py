"""From a prompt to a request in the protocol of OpenAI's chat completions. Knows no SDK."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from sextant.errors import ModelRejected
from sextant.llms.openai.peer import Wording
from sextant.llms.wire import as_utf8, base64_of
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

_ODD = re.compile(r"[^a-zA-Z0-9_-]+")
_NAME = 64


def request(prompt: Prompt, model: str, wording: Wording) -> dict[str, Any]:
    """Return what is sent; what is left to the provider is not in it."""
    sent: dict[str, Any] = {
        "model": model,
        "messages": [message(one, wording) for one in prompt.messages],
        "stream": True,
    }
    if wording.usage:
        sent["stream_options"] = {"include_usage": True}
    if prompt.tools:
        sent["tools"] = [tool(one) for one in prompt.tools]
        sent["tool_choice"] = tool_choice(prompt.tool_choice)
    if prompt.schema is not None:
        sent["response_format"] = response_format(prompt.schema, wording)
    if prompt.temperature is not None and wording.temperature:
        sent["temperature"] = prompt.temperature
    if prompt.max_tokens:
        sent[wording.limit] = prompt.max_tokens
    if prompt.stop:
        sent["stop"] = list(prompt.stop)
    return sent


def message(said: Message, wording: Wording) -> dict[str, Any]:
    """Return one message in the role that the server knows."""
    if said.images and said.speaker is not Speaker.USER:
        raise ModelRejected(
            f"A message of the {said.speaker} has an image; only a user's may have one.",
            "Put the image into a message of the user.",
        )
    text = as_utf8(said.text)
    match said.speaker:
        case Speaker.TOOL:
            return {"role": "tool", "tool_call_id": said.call_id, "content": text}
        case Speaker.ASSISTANT if said.calls:
            calls = [_call(one) for one in said.calls]
            return {"role": "assistant", "content": text or None, "tool_calls": calls}
        case Speaker.DEVELOPER if not wording.developer:
            return {"role": "system", "content": text}
        case Speaker.USER if said.images:
            return {"role": "user", "content": list(_parts(said))}
    return {"role": said.speaker.value, "content": text}


def tool(spec: ToolSpec) -> dict[str, Any]:
    """Return a tool as a function."""
    function = {
        "name": spec.name,
        "description": spec.description,
        "parameters": dict(spec.parameters),
    }
    return {"type": "function", "function": function}


def tool_choice(choice: str) -> str | dict[str, Any]:
    """Return the choice as it is, or the one function that must be called."""
    if choice in (AUTO, NO_TOOL, ANY_TOOL):
        return choice
    return {"type": "function", "function": {"name": choice}}


def response_format(schema: Schema, wording: Wording) -> dict[str, Any]:
    """Return the schema, in the strict form if the server knows one and the schema allows it."""
    form: dict[str, Any] = {"name": schema_name(schema), "schema": dict(schema.schema)}
    if wording.strict:
        form["strict"] = is_closed(schema.schema)
    return {"type": "json_schema", "json_schema": form}


def schema_name(schema: Schema) -> str:
    """Return the schema's name in the letters that are allowed."""
    return _ODD.sub("_", schema.name)[:_NAME] or "reply"


def is_closed(schema: Any) -> bool:
    """Whether all objects say what they hold, demand all of it and take nothing more."""
    if isinstance(schema, list):
        return all(map(is_closed, schema))
    if not isinstance(schema, dict):
        return True
    kind = schema.get("type")
    if "properties" in schema or "object" in (kind if isinstance(kind, list) else [kind]):
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is not False:
            return False
        if {*properties} != {*schema.get("required", ())}:
            return False
        return all(map(is_closed, [*properties.values(), schema.get("$defs", {})]))
    return all(map(is_closed, schema.values()))


def image_url(image: Image) -> str:
    """Return an image's address, or the image itself as one."""
    if image.url:
        return image.url
    return f"data:{image.media_type};base64,{base64_of(image)}"


def _parts(said: Message) -> Iterable[dict[str, Any]]:
    if said.text:
        yield {"type": "text", "text": as_utf8(said.text)}
    for image in said.images:
        yield {"type": "image_url", "image_url": {"url": image_url(image)}}


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}
