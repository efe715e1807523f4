"""The messages of a thread: as a run made them, and as JSON that can be kept. Knows no store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from sextant.limits import message_size
from sextant.types import (
    ActionMessage,
    ActionReturned,
    ActionStarted,
    ArgumentsAdded,
    ChatMessage,
    ImageMessage,
    ResultMessage,
    Role,
    RunEvent,
    Speaker,
    StateChanged,
    StateMessage,
    TextAdded,
    TextMessage,
    TextStarted,
    Turn,
)

MOST_MESSAGES = 200
MOST_CHARACTERS = 1_000_000
"""What is kept of a thread at most; the state of a thread in the store may be four times that."""

_KINDS: Mapping[str, type[ChatMessage]] = {
    "text": TextMessage,
    "image": ImageMessage,
    "action": ActionMessage,
    "result": ResultMessage,
    "state": StateMessage,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}
_ROLES = {Speaker.USER: Role.USER, Speaker.ASSISTANT: Role.ASSISTANT}


def messages_in(events: Iterable[RunEvent], run_id: str, now: datetime) -> list[ChatMessage]:
    """Return the messages that the events of a run make; of the agent's states, the last."""
    found: dict[str, ChatMessage] = {}
    pieces: dict[str, list[str]] = {}
    state: StateChanged | None = None
    for event in events:
        match event:
            case TextAdded(own, text) | ArgumentsAdded(own, text):
                pieces.setdefault(own, []).append(text)
            case TextStarted(own, speaker, parent):
                found[own] = TextMessage(own, speaker, "", parent, now)
            case ActionStarted(own, name, parent):
                found[own] = ActionMessage(own, name, "", parent, now)
            case ActionReturned(own, name, result):
                made = ResultMessage(f"result-{own}", own, name, result, now)
                found[made.id] = made
            case StateChanged():
                state = event
            case _:
                pass
    return [*(_whole(one, pieces) for one in found.values()), *_last_state(state, run_id, now)]


def latest(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Return the last messages, as many as are kept."""
    kept: list[ChatMessage] = []
    left = MOST_CHARACTERS
    for one in reversed(messages[-MOST_MESSAGES:]):
        left -= message_size(one)
        if left < 0:
            break
        kept.append(one)
    return kept[::-1]


def as_json(messages: Iterable[ChatMessage]) -> list[dict[str, Any]]:
    """Return messages as values of JSON."""
    return [{"type": _NAMES[type(one)], **msgspec.to_builtins(one)} for one in messages]


def from_json(rows: Iterable[Mapping[str, Any]]) -> tuple[ChatMessage, ...]:
    """Return messages that were written as JSON; raise a ValueError if they are none."""
    return tuple(msgspec.convert(row, _KINDS[str(row.get("type"))]) for row in rows)


def user_text(messages: Sequence[ChatMessage]) -> str:
    """Return what the user wrote last, or nothing."""
    texts = (one for one in reversed(messages) if isinstance(one, TextMessage))
    own = (one.text for one in texts if one.speaker == Speaker.USER)
    return next((text for text in own if text.strip()), "")


def turns_in(messages: Iterable[ChatMessage]) -> list[Turn]:
    """Return what the user and the assistant said, as the line has a conversation."""
    return [
        Turn(_ROLES[one.speaker], one.text)
        for one in messages
        if isinstance(one, TextMessage) and one.speaker in _ROLES
    ]


def _whole(message: ChatMessage, pieces: Mapping[str, list[str]]) -> ChatMessage:
    text = "".join(pieces.get(message.id, ()))
    match message:
        case TextMessage():
            return TextMessage(message.id, message.speaker, text, message.parent_id, message.at)
        case ActionMessage():
            return ActionMessage(message.id, message.name, text, message.parent_id, message.at)
    return message


def _last_state(state: StateChanged | None, run_id: str, now: datetime) -> list[ChatMessage]:
    if state is None:
        return []
    return [StateMessage(state.message_id, state.agent, state.state, state.node, run_id, at=now)]
