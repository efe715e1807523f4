"""Messages that an agent of AG-UI tells as a whole: those of this run, as the events of a run."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from sextant.links.remote_endpoints.agui.chunks import KindAndEvent
from sextant.links.remote_endpoints.decoding import id_in, text_in

_Message = Mapping[str, Any]


def new_messages(
    messages: Sequence[_Message], sent: Collection[str], known: Collection[str]
) -> Iterator[KindAndEvent]:
    """Yield what is not known of the messages that come behind all that were sent."""
    before = (
        number
        for number, one in enumerate(messages, 1)
        if one["role"] == "user" or one["id"] in sent or one.get("toolCallId") in sent
    )
    for one in messages[max(before, default=0) :]:
        if one["role"] == "assistant":
            yield from _spoken(one, known)
        elif one["role"] == "tool" and one["toolCallId"] in known:
            yield "TOOL_CALL_RESULT", one


def text_of(content: Any) -> str:
    """Return the text of a content, which is one, or has some among its parts."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else ""
    return "\n".join(one["text"] for one in content if one.get("type") == "text")


def _spoken(message: _Message, known: Collection[str]) -> Iterator[KindAndEvent]:
    own, text = {"messageId": id_in(message, "id")}, text_of(message.get("content"))
    if text and own["messageId"] not in known:
        yield "TEXT_MESSAGE_START", own
        yield "TEXT_MESSAGE_CONTENT", {**own, "delta": text}
        yield "TEXT_MESSAGE_END", own
    for call in message.get("toolCalls") or ():
        if call["id"] not in known:
            made, function = {"toolCallId": id_in(call, "id")}, call["function"]
            yield "TOOL_CALL_START", {**made, "toolCallName": function["name"]}
            yield "TOOL_CALL_ARGS", {**made, "delta": text_in(function, "arguments")}
            yield "TOOL_CALL_END", made
