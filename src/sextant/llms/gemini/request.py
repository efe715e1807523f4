"""A prompt as the Gemini API takes it. Knows the wire form, no connection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from google.genai import types

from sextant.llms.wire import ABOVE, arguments_of, as_utf8, orders
from sextant.types import ANY_TOOL, AUTO, NO_TOOL, Image, Message, Prompt, Schema, Speaker, ToolCall

SKIPPED = b"skip_thought_signature_validator"
"""What the API takes for the signature of a call that comes from elsewhere."""

_UNSIGNED = ("gemini-1", "gemini-2", "gemma")
_MODES = {
    AUTO: types.FunctionCallingConfigMode.AUTO,
    NO_TOOL: types.FunctionCallingConfigMode.NONE,
    ANY_TOOL: types.FunctionCallingConfigMode.ANY,
}

Signatures = Mapping[str, bytes]
"""Under the id of a call what the model signed it with; newer models want it back."""


def contents_for(model: str, prompt: Prompt, signatures: Signatures) -> list[types.Content]:
    """Return turns that alternate: neighbours of one side are one turn."""
    names = {call.id: call.name for message in prompt.messages for call in message.calls}
    spoken = [
        (_role(one), [*_message_parts(one, names), *_called(model, one.calls, signatures)])
        for one in prompt.messages
        if one.speaker not in ABOVE
    ]
    return [
        types.Content(role=role, parts=[part for _, parts in side for part in parts])
        for role, side in groupby((one for one in spoken if one[1]), key=lambda one: one[0])
    ]


def config_for(prompt: Prompt) -> types.GenerateContentConfig:
    """Return how the model may reply."""
    return types.GenerateContentConfig(
        system_instruction=orders(prompt.messages) or None,
        temperature=prompt.temperature,
        max_output_tokens=prompt.max_tokens or None,
        stop_sequences=list(prompt.stop) or None,
        tools=_tools(prompt),
        tool_config=_choice(prompt) if prompt.tools else None,
        # What the SDK would do by itself: call tools, and after a break ask again from half way.
        automatic_continuation=False,
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        response_mime_type="application/json" if prompt.schema else None,
        response_json_schema=_format(prompt.schema) if prompt.schema else None,
    )


def _role(message: Message) -> str:
    return "model" if message.speaker == Speaker.ASSISTANT else "user"


def _message_parts(message: Message, names: Mapping[str, str]) -> Iterable[types.Part]:
    if message.speaker == Speaker.TOOL:
        result = types.FunctionResponse(
            id=message.call_id,
            name=names.get(message.call_id, message.call_id),
            response={"output": as_utf8(message.text)},
        )
        yield types.Part(function_response=result)
    elif message.text:
        yield types.Part(text=as_utf8(message.text))
    yield from (_image(one) for one in message.images)


def _called(
    model: str, calls: tuple[ToolCall, ...], signatures: Signatures
) -> Iterable[types.Part]:
    # Of calls that were made together only the first is signed.
    is_foreign = not any(call.id in signatures for call in calls)
    for number, call in enumerate(calls):
        skipped = is_foreign and number == 0 and not model.startswith(_UNSIGNED)
        yield types.Part(
            function_call=types.FunctionCall(id=call.id, name=call.name, args=arguments_of(call)),
            thought_signature=SKIPPED if skipped else signatures.get(call.id),
        )


def _image(image: Image) -> types.Part:
    if image.url:
        return types.Part(
            file_data=types.FileData(file_uri=image.url, mime_type=image.media_type or None)
        )
    return types.Part(inline_data=types.Blob(data=image.data, mime_type=image.media_type))


def _format(schema: Schema) -> dict[str, Any]:
    # The API has its own subset of JSON Schema, and no name for it.
    return {name: value for name, value in schema.schema.items() if name != "$schema"}


def _tools(prompt: Prompt) -> types.ToolListUnion | None:
    if not prompt.tools:
        return None
    declarations = [
        types.FunctionDeclaration(
            name=one.name,
            description=as_utf8(one.description),
            parameters_json_schema=dict(one.parameters),
        )
        for one in prompt.tools
    ]
    return [types.Tool(function_declarations=declarations)]


def _choice(prompt: Prompt) -> types.ToolConfig:
    mode = _MODES.get(prompt.tool_choice)
    calling = (
        types.FunctionCallingConfig(mode=mode)
        if mode is not None
        else types.FunctionCallingConfig(
            mode=types.FunctionCallingConfigMode.ANY, allowed_function_names=[prompt.tool_choice]
        )
    )
    return types.ToolConfig(function_calling_config=calling)
