"""Runs as they might go, and what they come to: plain values for the library's executor."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from sextant.types import (
    ActionEnded,
    ActionReturned,
    ActionStarted,
    ArgumentsAdded,
    FailureReason,
    Interrupted,
    RunEnd,
    RunEvent,
    RunFailed,
    RunFinished,
    RunStarted,
    RunStopped,
    Speaker,
    StateChanged,
    TextAdded,
    TextEnded,
    TextStarted,
)

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
_AT = "2026-01-01T12:00:00.000Z"
_text = st.text(max_size=5)
_ENDS: tuple[RunEnd, ...] = (
    RunFinished(),
    RunStopped(),
    RunFailed("model_timeout", "Too slow.", "Try again."),
    RunFailed("guardrail", "No politics.", reason=FailureReason.GUARDRAIL),
    RunFailed("broken_stream", "It broke.", reason=FailureReason.CUT_OFF, status=502),
)


@st.composite
def runs(draw: st.DrawFn) -> list[RunEvent]:
    """Make a run: messages begin, grow and end in any order, until the run itself ends."""
    events: list[RunEvent] = [RunStarted("t", "r", "default")]
    texts: list[str] = []
    actions: list[str] = []
    for number in range(draw(st.integers(0, 25))):
        own = f"m{number}"
        kind = draw(st.integers(0, 8))
        if kind == 0:
            texts.append(own)
            speaker = draw(st.sampled_from(Speaker))
            events.append(TextStarted(own, speaker, draw(st.sampled_from(["", "p"]))))
        elif kind == 1:
            actions.append(own)
            events.append(ActionStarted(own, "act", draw(st.sampled_from(["", "p"]))))
        elif kind in (2, 3) and texts:
            events.append(TextAdded(draw(st.sampled_from(texts)), draw(_text)))
        elif kind == 4 and actions:
            events.append(ArgumentsAdded(draw(st.sampled_from(actions)), draw(_text)))
        elif kind == 5 and texts:
            events.append(TextEnded(texts.pop(draw(st.integers(0, len(texts) - 1)))))
        elif kind == 6 and actions:
            call = actions.pop(draw(st.integers(0, len(actions) - 1)))
            events.append(ActionEnded(call))
            events += draw(_returns(call))
        elif kind == 7:
            flags = draw(st.booleans()), draw(st.booleans())
            events.append(StateChanged(own, "default", draw(_text), '{"a": 1}', *flags))
        elif kind == 8:
            events.append(Interrupted(own, draw(_questions)))
    return [*events, draw(st.sampled_from(_ENDS))]


def _returns(call: str) -> st.SearchStrategy[list[ActionReturned]]:
    return st.lists(st.builds(ActionReturned, st.just(call), st.just("act"), _text), max_size=1)


_WITH_MESSAGES = """{"__copilotkit_interrupt_value__": "May I?", "__copilotkit_messages__": [
    {"id": "x", "role": "user", "content": "Hm"}, {"name": "act", "arguments": {"a": 1}}
]}"""
_questions = st.sampled_from(
    [
        "May I?",
        '{"a": 1}',
        "__copilotkit_messages__",
        _WITH_MESSAGES,
    ]
)


def batches(data: st.DataObject, events: Sequence[RunEvent]) -> list[Sequence[RunEvent]]:
    """Cut a run into batches."""
    cuts = sorted(data.draw(st.lists(st.integers(1, len(events)), max_size=6)))
    edges = [0, *cuts, len(events)]
    return [events[a:b] for a, b in pairwise(edges) if events[a:b]]


def response_of(events: Sequence[RunEvent]) -> dict[str, Any]:
    """Return what a whole run comes to."""
    made = _Response()
    for event in events:
        made.hear(event)
    return made.value


class _Response:
    """Gathers a run, one event after another."""

    def __init__(self) -> None:
        self.messages: dict[str, dict[str, Any]] = {}
        self.meta: list[dict[str, Any]] = []
        self.value: dict[str, Any] = {
            "threadId": "t",
            "runId": None,
            "extensions": None,
            "metaEvents": self.meta,
        }

    def hear(self, event: RunEvent) -> None:
        more: dict[str, Any]
        match event:
            case TextStarted(own, speaker, parent):
                more = {
                    "role": speaker.value,
                    "content": [],
                    "parentMessageId": parent or None,
                }
                self._add("TextMessageOutput", own, None, **more)
            case ActionStarted(own, name, parent):
                more = {"name": name, "arguments": [], "parentMessageId": parent or None}
                self._add("ActionExecutionMessageOutput", own, None, scope=None, **more)
            case TextAdded(own, text):
                self.messages[own]["content"].append(text)
            case ArgumentsAdded(own, text):
                self.messages[own]["arguments"].append(text)
            case TextEnded(own) | ActionEnded(own):
                self.messages[own]["status"] = _status("SuccessMessageStatus")
            case ActionReturned(own, name, result):
                more = {"actionExecutionId": own, "actionName": name, "result": result}
                self._add("ResultMessageOutput", f"result-{own}", "Success", **more)
            case StateChanged(own, agent, node, state, active, running):
                more = {"agentName": agent, "nodeName": node, "state": state, "active": active}
                more |= {"running": running, "threadId": "t", "runId": "r", "role": "assistant"}
                self._add("AgentStateMessageOutput", own, "Success", **more)
            case Interrupted():
                self.meta.append(_interrupt(event))
            case _:
                self._hear_end(event)

    def _hear_end(self, event: RunEvent) -> None:
        match event:
            case RunFinished():
                self._end(_status("SuccessResponseStatus"), _status("SuccessMessageStatus"))
            case RunStopped():
                self._fail("MESSAGE_STREAM_INTERRUPTED", "The run was stopped.")
            case RunFailed():
                self._failed(event)

    def _add(self, kind: str, own: str, status: str | None, **more: Any) -> None:
        told = status and _status(f"{status}MessageStatus")
        self.messages[own] = {"__typename": kind, "id": own, "createdAt": _AT, "status": told}
        self.messages[own] |= more

    def _end(self, status: dict[str, Any], of_messages: dict[str, Any]) -> None:
        for message in self.messages.values():
            message["status"] = message["status"] or of_messages
        self.value["status"] = status
        self.value["messages"] = list(self.messages.values())

    def _fail(self, reason: str, why: str, **details: Any) -> None:
        status = _status("FailedResponseStatus", reason=reason)
        status["details"] = details or {"description": why}
        self._end(status, _status("FailedMessageStatus", reason=why))

    def _failed(self, event: RunFailed) -> None:
        if event.reason is FailureReason.GUARDRAIL:
            if all(one["status"] for one in self.messages.values()):
                more: dict[str, Any] = {"role": "assistant", "content": [], "parentMessageId": None}
                self._add("TextMessageOutput", "denied-r", None, **more)
            why = f"Interrupted due to Guardrails validation failure. Reason: {event.message}"
            self._fail("GUARDRAILS_VALIDATION_FAILED", why, guardrailsReason=event.message)
            return
        description = f"{event.message} {event.hint}".strip()
        original = {
            "code": "NETWORK_ERROR",
            "statusCode": event.status or 503,
            "severity": "critical",
            "visibility": "banner",
            "message": description,
            "reason": event.code,
            "requestId": "q",
        }
        self._fail("UNKNOWN_ERROR", event.message, description=description, originalError=original)


def _status(kind: str, **more: Any) -> dict[str, Any]:
    code = next(one for one in ("Success", "Failed") if kind.startswith(one))
    return {"__typename": kind, "code": code, **more}


def _interrupt(event: Interrupted) -> dict[str, Any]:
    if '"x"' not in event.value:
        name = "LangGraphInterruptEvent"
        more: dict[str, Any] = {"value": event.value}
    else:
        name = "CopilotKitLangGraphInterruptEvent"
        success = _status("SuccessMessageStatus")
        common = {"createdAt": _AT, "status": success, "parentMessageId": None}
        text = {"__typename": "TextMessageOutput", "id": "x", "role": "user", "content": ["Hm"]}
        action = {
            "__typename": "ActionExecutionMessageOutput",
            "id": f"{event.interrupt_id}-1",
            "name": "act",
            "scope": None,
            "arguments": ['{"a":1}'],
        }
        more = {"data": {"value": "May I?", "messages": [text | common, action | common]}}
    return {"__typename": name, "type": "MetaEvent", "name": name, "response": None, **more}
