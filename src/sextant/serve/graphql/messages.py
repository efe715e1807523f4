"""Messages as clients send them: each of exactly one kind, its parts of the shape that they claim.

They come coerced by the schema, so that every field is there that has to be.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any

from sextant.errors import InvalidInput
from sextant.text.codec.decode import loads
from sextant.text.codec.json_bytes import written
from sextant.types import (
    ActionMessage,
    ChatMessage,
    Image,
    ImageMessage,
    ResultMessage,
    Speaker,
    StateMessage,
    TextMessage,
)

_KINDS = (
    *("textMessage", "actionExecutionMessage", "resultMessage"),
    *("agentStateMessage", "imageMessage"),
)


def messages_of(given: Sequence[Mapping[str, Any]]) -> tuple[ChatMessage, ...]:
    """Return the messages of a request, or say what is wrong with one of them."""
    return tuple(_message_of(one) for one in given)


def _message_of(given: Mapping[str, Any]) -> ChatMessage:
    kinds = [kind for kind in _KINDS if given.get(kind) is not None]
    if len(kinds) != 1:
        known = ", ".join(_KINDS)
        what = "two kinds" if kinds else "no kind that is known"
        raise InvalidInput(
            f"The message {given['id'][:80]!r} is of {what}.", f"Give it one of: {known}."
        )
    own: Mapping[str, Any] = given[kinds[0]]
    own_id, at, parent = given["id"], given["createdAt"], own.get("parentMessageId") or ""
    match kinds[0]:
        case "textMessage":
            return TextMessage(own_id, Speaker(own["role"]), own["content"], parent, at)
        case "actionExecutionMessage":
            return ActionMessage(own_id, own["name"], own["arguments"], parent, at)
        case "resultMessage":
            call_id, name = own["actionExecutionId"], own["actionName"]
            return ResultMessage(own_id, call_id, name, own["result"], at)
        case "agentStateMessage":
            return StateMessage(
                own_id,
                own["agentName"],
                own["state"],
                own["nodeName"],
                own["runId"],
                own["active"],
                own["running"],
                at,
            )
        case _:
            return ImageMessage(own_id, Speaker(own["role"]), _image_of(own_id, own), parent, at)


def _image_of(own_id: str, given: Mapping[str, Any]) -> Image:
    media_type = f"image/{given['format'].lower().removeprefix('image/')}"
    if media_type == "image/jpg":
        media_type = "image/jpeg"
    text = given["bytes"].removeprefix(f"data:{media_type};base64,")
    try:
        return Image(media_type, base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        raise InvalidInput(
            f"The image {own_id[:80]!r} is not in Base64.", "Send its bytes as Base64."
        ) from None


def thread_json(messages: Sequence[ChatMessage]) -> str:
    """Return the messages of a thread as `loadAgentState` tells them: a JSON list in a text."""
    return written(thread_shapes(messages)).decode()


def thread_shapes(messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    """Return the messages of a thread as clients load them."""
    return [shape for one in messages if (shape := _shape_of(one))]


def _shape_of(message: ChatMessage) -> dict[str, Any]:
    """Return a message as clients load it, who know texts, actions and results."""
    match message:
        case TextMessage():
            return {
                "id": message.id,
                "role": message.speaker.value,
                "content": message.text,
                "parentMessageId": message.parent_id or None,
            }
        case ActionMessage():
            return {
                "id": message.id,
                "name": message.name,
                "arguments": _arguments_of(message),
                "parentMessageId": message.parent_id or None,
            }
        case ResultMessage():
            return {
                "id": message.id,
                "actionExecutionId": message.call_id,
                "actionName": message.name,
                "result": message.result,
            }
        case _:
            return {}


def _arguments_of(message: ActionMessage) -> Any:
    try:
        return loads(message.arguments or "{}")
    except InvalidInput:
        return {}
