"""A thread and its actions as Agent Framework reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agent_framework import Content, FunctionTool, Message

from sextant.types import (
    ActionMessage,
    ChatMessage,
    Image,
    ImageMessage,
    RemoteAnswer,
    ResultMessage,
    Speaker,
    TextMessage,
    ToolSpec,
)

_ROLES = {Speaker.DEVELOPER: "system"}


def framework_messages(
    messages: Iterable[ChatMessage], answers: Iterable[RemoteAnswer] = ()
) -> list[Message]:
    """Return a thread, of calls and results those that have each other, and a person's answers."""
    thread = list(messages)
    called = {one.id for one in thread if isinstance(one, ActionMessage)}
    answered = {one.call_id for one in thread if isinstance(one, ResultMessage)} & called
    said = [Message("user", [one.response]) for one in answers]
    return [*_told(thread, answered), *said]


def declared_tools(tools: Iterable[ToolSpec]) -> list[FunctionTool]:
    """Return actions that are described to the agent and carried out elsewhere."""
    return [
        FunctionTool(
            name=one.name, description=one.description, func=None, input_model=one.parameters
        )
        for one in tools
    ]


def _told(thread: Iterable[ChatMessage], answered: set[str]) -> Iterator[Message]:
    for one in thread:
        match one:
            case TextMessage():
                yield Message(_ROLES.get(one.speaker, one.speaker.value), [one.text])
            case ImageMessage():
                role = _ROLES.get(one.speaker, one.speaker.value)
                yield Message(role, [_content(one.image)])
            case ActionMessage() if one.id in answered:
                call = Content.from_function_call(one.id, one.name, arguments=one.arguments)
                yield Message("assistant", [call])
            case ResultMessage() if one.call_id in answered:
                result = Content.from_function_result(one.call_id, result=one.result)
                yield Message("tool", [result])
            case _:
                pass  # a state is the agent's own, and a call without a result is not over


def _content(image: Image) -> Content:
    if image.url:
        return Content.from_uri(image.url, media_type=image.media_type or "image/*")
    return Content.from_data(image.data, image.media_type)
