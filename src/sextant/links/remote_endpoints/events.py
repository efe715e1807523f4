"""The lines that an agent elsewhere tells its run with, as events. Knows no order of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from sextant.errors import PeerError
from sextant.links.mcp_connection import shown_message
from sextant.ports import RemoteEvent
from sextant.types import (
    ActionEnded,
    ActionReturned,
    ActionStarted,
    ArgumentsAdded,
    Interrupted,
    RemoteState,
    TextAdded,
    TextEnded,
    TextStarted,
)

_RUNS = "Whoever runs it has to mend that."
_INTERRUPTS = ("LangGraphInterruptEvent", "CopilotKitLangGraphInterruptEvent")


def read_event(line: bytes, whose: str) -> RemoteEvent | None:
    """Return the event in a line, None where it is of a kind that is not known, or say why not."""
    try:
        told = msgspec.json.decode(line)
    except (msgspec.MsgspecError, RecursionError):
        raise PeerError(f"{whose} sent a line that is not JSON.", _RUNS) from None
    kind = told.get("type") if isinstance(told, dict) else None
    if not isinstance(kind, str):
        raise PeerError(f"{whose} sent a line that is no event.", _RUNS)
    if kind == "RunError":
        said = shown_message(str(told.get("message") or ""))
        raise PeerError(f"{whose} failed: {said}.", "Try again, or ask whoever runs it.")
    read = _READ.get(kind)
    try:
        return read(told) if read else None
    except (KeyError, TypeError, ValueError, RecursionError):
        raise PeerError(f"{whose} sent a {kind} of the wrong shape.", _RUNS) from None


def _text(told: Mapping[str, Any], name: str) -> str:
    value = told[name]
    if not isinstance(value, str):
        raise TypeError(name)
    return value


def _id(told: Mapping[str, Any], name: str) -> str:
    if not (value := _text(told, name)):
        raise ValueError(name)
    return value


def _parent(told: Mapping[str, Any]) -> str:
    return _text(told, "parentMessageId") if told.get("parentMessageId") else ""


def _state(told: Mapping[str, Any]) -> RemoteState:
    value = told["state"]
    state = json.loads(value) if isinstance(value, str) else value
    if not isinstance(state, dict):
        raise TypeError("state")
    return RemoteState(
        _text(told, "threadId"),
        _text(told, "runId"),
        _text(told, "nodeName"),
        state,
        told["running"] is True,
    )


def _meta(told: Mapping[str, Any]) -> Interrupted | None:
    """Return the question to a person that an event is; one with messages is told as JSON."""
    if told.get("name") not in _INTERRUPTS:
        return None
    value = told.get("data", told.get("value"))
    return Interrupted("", value if isinstance(value, str) else json.dumps(value))


_READ: Mapping[str, Callable[[Mapping[str, Any]], RemoteEvent | None]] = {
    "TextMessageStart": lambda told: TextStarted(_id(told, "messageId"), parent_id=_parent(told)),
    "TextMessageContent": lambda told: TextAdded(_id(told, "messageId"), _text(told, "content")),
    "TextMessageEnd": lambda told: TextEnded(_id(told, "messageId")),
    "ActionExecutionStart": lambda told: ActionStarted(
        _id(told, "actionExecutionId"), _id(told, "actionName"), _parent(told)
    ),
    "ActionExecutionArgs": lambda told: ArgumentsAdded(
        _id(told, "actionExecutionId"), _text(told, "args")
    ),
    "ActionExecutionEnd": lambda told: ActionEnded(_id(told, "actionExecutionId")),
    "ActionExecutionResult": lambda told: ActionReturned(
        _id(told, "actionExecutionId"), _id(told, "actionName"), _text(told, "result")
    ),
    "AgentStateMessage": _state,
    "MetaEvent": _meta,
}
