"""What a copilot may send with a run: messages, pictures, actions, states and wishes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from sextant.errors import InvalidInput, TooLarge
from sextant.limits.values import (
    DEFAULT,
    Limits,
    at_most,
    between,
    each,
    label,
    moment,
    number,
    one_of,
    text,
    unique,
)
from sextant.types import (
    ActionMessage,
    ActionPlace,
    ChatMessage,
    ClientAction,
    Image,
    ImageMessage,
    ModelWishes,
    ResultMessage,
    RunKind,
    RunRequest,
    Speaker,
    StateMessage,
    TextMessage,
    TopicRules,
)

_MESSAGES = (TextMessage, ImageMessage, ActionMessage, ResultMessage, StateMessage)
_IMAGES: Mapping[str, tuple[bytes, ...]] = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"WEBP",),
}
"""How a picture of each kind begins, behind the head of a RIFF; providers take no others."""

_MOST_TOKENS = 1_000_000
_HOTTEST = 2.0  # the highest temperature that providers take


def check_run_request(request: RunRequest, limits: Limits = DEFAULT) -> None:
    """Refuse a run that is too large, contradicts itself, or cannot be."""
    text("thread id", request.thread_id, limits.id)
    text("run id", request.run_id, limits.id)
    text("agent", request.agent, limits.id)
    text("node", request.node, limits.name)
    one_of("request type", request.kind, RunKind)
    _check_messages(request.messages, limits)
    _check_actions(request.actions, limits)
    _check_states(request, limits)
    _check_wishes(request.wishes, limits)
    _check_topics(request.topics or TopicRules(), limits)


def check_thread_id(thread_id: str, limits: Limits = DEFAULT) -> None:
    """Refuse what no thread can be called."""
    label("thread id", thread_id, limits.id)


def _check_messages(messages: Sequence[ChatMessage], limits: Limits) -> None:
    at_most("messages", len(messages), limits.messages, "Send the last ones only.")
    called: set[str] = set()
    for one in messages:
        if not isinstance(one, _MESSAGES):
            raise InvalidInput(f"A message is a {type(one).__name__}.", "Use a known kind.")
        label("message id", one.id, limits.id)
        moment("message", one.at)
        _check_message(one, called, limits)
    unique("message id", (one.id for one in messages if not isinstance(one, StateMessage)))
    size = sum(map(message_size, messages))
    if size > limits.thread:
        raise TooLarge(
            f"The messages have {size} characters; at most {limits.thread} are taken.",
            "Send the last ones only.",
        )


def _check_message(message: ChatMessage, called: set[str], limits: Limits) -> None:
    match message:
        case TextMessage():
            one_of("role", message.speaker, Speaker)
            text("message", message.text, limits.text)
        case ImageMessage():
            one_of("role", message.speaker, Speaker)
            _check_image(message.image, limits)
        case ActionMessage():
            label("action", message.name, limits.id)
            text("arguments", message.arguments, limits.text)
            called.add(message.id)
        case ResultMessage():
            text("result", message.result, limits.text)
            _check_is_called(message, called)
        case StateMessage():
            text("state", message.state, limits.text)


def _check_is_called(message: ResultMessage, called: set[str]) -> None:
    if message.call_id not in called:
        raise InvalidInput(
            f"The result {message.id[:80]!r} answers no call that stands before it.",
            f"Send the call {message.call_id[:80]!r} first.",
        )


def _check_image(image: Image, limits: Limits) -> None:
    if image.url:
        text("address of an image", image.url, limits.url)
        if not image.url.startswith("https://"):
            raise InvalidInput("The address of an image is not https.", "Send its bytes instead.")
        return
    kind = image.media_type.lower()
    head = image.data[8:] if image.data.startswith(b"RIFF") else image.data
    if kind not in _IMAGES or not head.startswith(_IMAGES[kind]):
        raise InvalidInput(
            f"A message is no image of the type {image.media_type[:40]!r}.",
            f"Send {', '.join(_IMAGES)}, and the type that the bytes have.",
        )


def _check_actions(actions: Sequence[ClientAction], limits: Limits) -> None:
    each("actions", actions, ClientAction, limits.actions)
    unique("action", [one.name for one in actions])
    for one in actions:
        label("action", one.name, limits.id)
        text("description of an action", one.description, limits.metadata)
        one_of("availability of an action", one.place, ActionPlace)
        _check_schema(one, limits)


def _check_schema(action: ClientAction, limits: Limits) -> None:
    try:
        told = json.dumps(action.parameters, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise _broken_schema(action.name, "it is not JSON") from None
    at_most(f"characters in the schema of {action.name[:80]!r}", len(told), limits.schema)
    if wrong := _fault_in(told):
        raise _broken_schema(action.name, wrong)


@lru_cache(maxsize=256)
def _fault_in(schema: str) -> str:
    """Return why a JSON schema is none, or nothing. A page sends the same ones with every run."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    value: Any = json.loads(schema)
    if not isinstance(value, dict) or value.get("type", "object") != "object":
        return "it does not describe an object"
    try:
        Draft202012Validator.check_schema(value)
    except SchemaError as error:
        return f"{'.'.join(map(str, error.path)) or 'it'}: {error.message[:200]}"
    except RecursionError:
        return "it is nested too deep"
    return ""


def _broken_schema(name: str, why: str) -> InvalidInput:
    return InvalidInput(
        f"The JSON schema of the action {name[:80]!r} is broken: {why}.",
        "Describe its arguments as an object with properties.",
    )


def _check_states(request: RunRequest, limits: Limits) -> None:
    at_most("agent states", len(request.states), limits.actions)
    at_most("context items", len(request.context), limits.messages)
    at_most("answers", len(request.answers), limits.actions)
    for answer in request.answers:
        text("interrupt id", answer.interrupt_id, limits.id)
        text("interrupt value", answer.value, limits.text)
        text("answer", answer.response, limits.text)
    values = [
        *(one.state for one in request.states),
        *(one.config for one in request.states),
        [[one.description, one.value] for one in request.context],
        dict(request.properties),
    ]
    try:
        size = sum(len(json.dumps(one, allow_nan=False)) for one in values)
    except (TypeError, ValueError, RecursionError):
        raise InvalidInput(
            "A state, a context item or a property is not JSON.", "Pass what json.dumps takes."
        ) from None
    at_most("characters in states, context and properties", size, limits.thread)


def _check_wishes(wishes: ModelWishes, limits: Limits) -> None:
    text("model", wishes.model, limits.id)
    text("tool choice", wishes.tool_choice, limits.id)
    between("maxTokens", wishes.max_tokens, 0, _MOST_TOKENS)
    at_most("stop words", len(wishes.stop), limits.actions)
    for one in wishes.stop:
        label("stop word", one, limits.name)
    if wishes.temperature is not None:
        number("temperature", wishes.temperature, 0.0, _HOTTEST)


def _check_topics(topics: TopicRules, limits: Limits) -> None:
    for what, own in (("allowed", topics.allowed), ("denied", topics.denied)):
        at_most(f"{what} topics", len(own), limits.actions)
        for one in own:
            label(f"{what} topic", one, limits.name)


def message_size(message: ChatMessage) -> int:
    """Return how many characters, or bytes of a picture, a message has."""
    match message:
        case TextMessage():
            return len(message.text)
        case ImageMessage():
            return len(message.image.data)
        case ActionMessage():
            return len(message.arguments)
        case ResultMessage():
            return len(message.result)
    return len(message.state)
