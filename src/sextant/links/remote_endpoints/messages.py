"""A run as CopilotKit's remote endpoints read it: messages, actions, state and answers."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sextant.types import (
    ActionMessage,
    ChatMessage,
    ImageMessage,
    RemoteCall,
    RemoteRun,
    ResultMessage,
    StateMessage,
    TextMessage,
)

INTERRUPT = "LangGraphInterruptEvent"


def run_body(call: RemoteCall, run: RemoteRun) -> dict[str, Any]:
    """Return what an endpoint is sent to run an agent."""
    return {
        "name": run.agent,
        "threadId": run.thread_id,
        "nodeName": run.node or None,
        "messages": [_message(one, run.thread_id) for one in run.messages],
        "state": run.state,
        "config": run.config,
        "properties": call.properties,
        "actions": [
            {"name": one.name, "description": one.description, "parameters": one.parameters}
            for one in run.actions
        ],
        "metaEvents": [
            {"name": INTERRUPT, "value": one.question, "response": one.response}
            for one in run.answers
        ],
    }


def _message(message: ChatMessage, thread_id: str) -> dict[str, Any]:
    at = message.at or datetime.now(UTC)
    return {"id": message.id, "createdAt": at.isoformat(), **_content(message, thread_id)}


def _content(message: ChatMessage, thread_id: str) -> dict[str, Any]:
    match message:
        case TextMessage():
            return {
                "type": "TextMessage",
                "content": message.text,
                "role": message.speaker.value,
                "parentMessageId": message.parent_id or None,
            }
        case ImageMessage():
            return {
                "type": "ImageMessage",
                "format": message.image.media_type.removeprefix("image/"),
                "bytes": base64.b64encode(message.image.data).decode("ascii"),
                "role": message.speaker.value,
            }
        case ActionMessage():
            return {
                "type": "ActionExecutionMessage",
                "name": message.name,
                "arguments": _object_in(message.arguments),
                "parentMessageId": message.parent_id or None,
            }
        case ResultMessage():
            return {
                "type": "ResultMessage",
                "actionExecutionId": message.call_id,
                "actionName": message.name,
                "result": message.result,
            }
        case StateMessage():
            return {
                "type": "AgentStateMessage",
                "threadId": thread_id,
                "agentName": message.agent,
                "nodeName": message.node,
                "runId": message.run_id,
                "active": message.is_active,
                "role": "assistant",
                "state": _object_in(message.state),
                "running": message.is_running,
            }


def _object_in(text: str) -> Mapping[str, Any]:
    """Return the object that a text is as JSON; endpoints expect no other value."""
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
