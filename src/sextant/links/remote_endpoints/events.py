"""The lines that an agent elsewhere tells its run with, as events. Knows no order of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from sextant.links.remote_endpoints.decoding import (
    WRONG_SHAPE,
    decode_event,
    id_in,
    run_failure,
    text_in,
    wrong_shape,
)
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

_INTERRUPTS = ("LangGraphInterruptEvent", "CopilotKitLangGraphInterruptEvent")


def read_events(lines: Iterable[bytes], whose: str) -> Iterator[RemoteEvent]:
    """Yield the events of known kinds in lines, until one of them is not as it has to be."""
    for line in lines:
        if not line.strip():
            continue
        kind, told = decode_event(line, whose)
        if kind == "RunError":
            raise run_failure(whose, told)
        try:
            event = read(told) if (read := _READ.get(kind)) else None
        except WRONG_SHAPE:
            raise wrong_shape(whose, kind) from None
        if event:
            yield event


def _parent(told: Mapping[str, Any]) -> str:
    return text_in(told, "parentMessageId") if told.get("parentMessageId") else ""


def _state(told: Mapping[str, Any]) -> RemoteState:
    value = told["state"]
    state = json.loads(value) if isinstance(value, str) else value
    if not isinstance(state, dict):
        raise TypeError("state")
    return RemoteState(
        text_in(told, "threadId"),
        text_in(told, "runId"),
        text_in(told, "nodeName"),
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
    "TextMessageStart": lambda told: TextStarted(id_in(told, "messageId"), parent_id=_parent(told)),
    "TextMessageContent": lambda told: TextAdded(
        id_in(told, "messageId"), text_in(told, "content")
    ),
    "TextMessageEnd": lambda told: TextEnded(id_in(told, "messageId")),
    "ActionExecutionStart": lambda told: ActionStarted(
        id_in(told, "actionExecutionId"), id_in(told, "actionName"), _parent(told)
    ),
    "ActionExecutionArgs": lambda told: ArgumentsAdded(
        id_in(told, "actionExecutionId"), text_in(told, "args")
    ),
    "ActionExecutionEnd": lambda told: ActionEnded(id_in(told, "actionExecutionId")),
    "ActionExecutionResult": lambda told: ActionReturned(
        id_in(told, "actionExecutionId"), id_in(told, "actionName"), text_in(told, "result")
    ),
    "AgentStateMessage": _state,
    "MetaEvent": _meta,
}
