"""Messages of a thread as AG-UI writes them, for its clients and for agents elsewhere."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from sextant.types import (
    ActionMessage,
    ChatMessage,
    Image,
    ImageMessage,
    Json,
    ResultMessage,
    Speaker,
    StateMessage,
    TextMessage,
)


def told_messages(messages: Iterable[ChatMessage]) -> list[Json]:
    """Return messages as AG-UI has them: what was one message is one again."""
    return [
        _told(message_id, list(group))
        for message_id, group in groupby(
            (one for one in messages if not isinstance(one, StateMessage)), key=_whole_id
        )
    ]


def _whole_id(message: ChatMessage) -> str:
    """Return the id of the message that a client has, of which this is a part."""
    if isinstance(message, ImageMessage | ActionMessage) and message.parent_id:
        return message.parent_id
    return message.id


def _told(own: str, group: list[ChatMessage]) -> Json:
    first = group[0]
    if isinstance(first, ResultMessage):
        return {"id": own, "role": "tool", "toolCallId": first.call_id, "content": first.result}
    calls = [_call(one) for one in group if isinstance(one, ActionMessage)]
    texts = [one.text for one in group if isinstance(one, TextMessage)]
    images = [_part(one.image) for one in group if isinstance(one, ImageMessage)]
    told: dict[str, Any] = {"id": own, "role": _role(first)}
    if images:
        told["content"] = [*({"type": "text", "text": one} for one in texts), *images]
    elif texts or not calls:
        told["content"] = "\n".join(texts)
    if calls:
        told["toolCalls"] = calls
    return told


def _role(message: ChatMessage) -> str:
    if isinstance(message, TextMessage | ImageMessage):
        return message.speaker
    return Speaker.ASSISTANT


def _call(message: ActionMessage) -> Mapping[str, Json]:
    function = {"name": message.name, "arguments": message.arguments}
    return {"id": message.id, "type": "function", "function": function}


def _part(image: Image) -> Mapping[str, Json]:
    if image.url:
        return {"type": "image", "source": {"type": "url", "value": image.url}}
    value = base64.b64encode(image.data).decode("ascii")
    return {
        "type": "image",
        "source": {"type": "data", "value": value, "mimeType": image.media_type},
    }
