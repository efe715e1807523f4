"""Events of a run as values of the schema: each names its type, and has every field of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

from sextant.chat.actions.interrupts import HANDED_QUESTION
from sextant.errors import InvalidInput
from sextant.serve.errors import failure_of, in_one_text
from sextant.text.codec.decode import loads
from sextant.text.codec.json_bytes import written
from sextant.types import (
    ActionReturned,
    ActionStarted,
    FailureReason,
    Interrupted,
    RunFailed,
    Speaker,
    StateChanged,
    TextStarted,
)

Value: TypeAlias = dict[str, Any]

SUCCESS: Value = {"__typename": "SuccessMessageStatus", "code": "Success"}
RUN_SUCCESS: Value = {"__typename": "SuccessResponseStatus", "code": "Success"}
INTERRUPTED_RUN: Value = {
    "__typename": "FailedResponseStatus",
    "code": "Failed",
    "reason": "MESSAGE_STREAM_INTERRUPTED",
    "details": {"description": "The run was stopped."},
}
_REASONS = {
    FailureReason.GUARDRAIL: "GUARDRAILS_VALIDATION_FAILED",
    FailureReason.CUT_OFF: "UNKNOWN_ERROR",
    FailureReason.UNKNOWN: "UNKNOWN_ERROR",
}
"""The only reasons of which clients show anything; of a stream that broke the Node runtime says so,
too."""
_DENIED = "Interrupted due to Guardrails validation failure. Reason: "
# How LangGraph's agents hand over messages beside a question.
_MESSAGES = "__copilotkit_messages__"


def time_text(moment: datetime) -> str:
    """Return a time as JavaScript writes it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def text_value(event: TextStarted, at: str) -> Value:
    """Return a message that begins."""
    return _message("TextMessageOutput", event.message_id, at) | {
        "role": event.speaker.value,
        "content": [],
        "parentMessageId": event.parent_id or None,
    }


def action_value(event: ActionStarted, at: str) -> Value:
    """Return an action whose arguments follow."""
    return _message("ActionExecutionMessageOutput", event.call_id, at) | {
        "name": event.name,
        "scope": None,
        "arguments": [],
        "parentMessageId": event.parent_id or None,
    }


def result_value(event: ActionReturned, at: str) -> Value:
    """Return what an action returned."""
    return _message("ResultMessageOutput", f"result-{event.call_id}", at) | {
        "actionExecutionId": event.call_id,
        "actionName": event.name,
        "result": event.result,
    }


def state_value(event: StateChanged, at: str, thread_id: str, run_id: str) -> Value:
    """Return how an agent stands."""
    return _message("AgentStateMessageOutput", event.message_id, at) | {
        "threadId": thread_id,
        "agentName": event.agent,
        "nodeName": event.node,
        "runId": run_id,
        "active": event.is_active,
        "role": Speaker.ASSISTANT.value,
        "state": event.state,
        "running": event.is_running,
    }


def interrupt_value(event: Interrupted, at: str) -> Value:
    """Return a question to a person, with its messages where an agent handed some over."""
    question, messages = _question_of(event.value)
    if messages is None:
        return _meta_event("LangGraphInterruptEvent") | {"value": event.value}
    own = [_handed_over(one, at, f"{event.interrupt_id}-{n}") for n, one in enumerate(messages)]
    data = {
        "__typename": "CopilotKitLangGraphInterruptEventData",
        "value": question,
        "messages": own,
    }
    return _meta_event("CopilotKitLangGraphInterruptEvent") | {"data": data}


def failed_message(failed: RunFailed) -> Value:
    """Return how a message stands that a failure cut off."""
    denied = failed.reason is FailureReason.GUARDRAIL
    reason = f"{_DENIED}{failed.message}" if denied else failed.message
    return {"__typename": "FailedMessageStatus", "code": "Failed", "reason": reason}


def stopped_message() -> Value:
    """Return how a message stands whose run somebody stopped."""
    return {"__typename": "FailedMessageStatus", "code": "Failed", "reason": "The run was stopped."}


def failed_run(failed: RunFailed, request_id: str) -> Value:
    """Return how a run stands that failed; of the inside of this server nothing is told."""
    return {
        "__typename": "FailedResponseStatus",
        "code": "Failed",
        "reason": _REASONS[failed.reason],
        "details": _details(failed, request_id),
    }


def _details(failed: RunFailed, request_id: str) -> Value:
    if failed.reason is FailureReason.GUARDRAIL:
        return {"guardrailsReason": failed.message}
    shown = failure_of(failed.code)
    description = in_one_text(failed.message, failed.hint, request_id)
    original = {
        "code": shown.code,
        "statusCode": failed.status or shown.status,
        "severity": shown.severity,
        "visibility": shown.visibility,
        "message": description,
        "reason": failed.code,
        "requestId": request_id,
    }
    return {"description": description, "originalError": original}


def _message(kind: str, message_id: str, at: str) -> Value:
    return {"__typename": kind, "id": message_id, "createdAt": at, "status": SUCCESS}


def _meta_event(name: str) -> Value:
    return {"__typename": name, "type": "MetaEvent", "name": name, "response": None}


def _question_of(value: str) -> tuple[str, list[Any] | None]:
    if _MESSAGES not in value:
        return value, None
    try:
        told = loads(value)
    except InvalidInput:
        return value, None
    messages = told.get(_MESSAGES) if isinstance(told, Mapping) else None
    if not isinstance(messages, list):
        return value, None
    question = told.get(HANDED_QUESTION)
    return question if isinstance(question, str) else written(question).decode(), messages


def _handed_over(told: Any, at: str, other_id: str) -> Value:
    """Return a message that an agent wrote as JSON; what is no message of a kind is text."""
    fields: Mapping[str, Any] = told if isinstance(told, Mapping) else {"content": told}
    own_id = str(fields.get("id") or other_id)
    if "arguments" in fields:
        return action_value(ActionStarted(own_id, str(fields.get("name", ""))), at) | {
            "arguments": [_text_of(fields["arguments"])]
        }
    speakers = [one for one in Speaker if one == fields.get("role")]
    started = TextStarted(own_id, speakers[0] if speakers else Speaker.ASSISTANT)
    return text_value(started, at) | {"content": [_text_of(fields.get("content", ""))]}


def _text_of(value: Any) -> str:
    return value if isinstance(value, str) else written(value).decode()
