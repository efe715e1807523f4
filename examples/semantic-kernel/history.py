"""What a remote endpoint is sent, as Semantic Kernel has it: a thread, and functions elsewhere."""

from __future__ import annotations

import json
from typing import Any

from semantic_kernel.contents import (
    AuthorRole,
    ChatHistory,
    ChatMessageContent,
    FunctionCallContent,
    FunctionResultContent,
)
from semantic_kernel.functions import (
    KernelFunctionFromMethod,
    KernelParameterMetadata,
    kernel_function,
)

_ACTIONS = "actions"
"""The plugin that actions of whoever asks are functions of."""


def declared_actions(actions: list[dict[str, Any]]) -> list[KernelFunctionFromMethod]:
    """Return actions as functions that the model may call, and that are carried out elsewhere."""
    return [_declared(one) for one in actions]


def history_of(messages: list[dict[str, Any]], own: set[str]) -> ChatHistory:
    """Return a thread; a call that nobody answered is not told."""
    answered = {one["actionExecutionId"] for one in messages if one["type"] == "ResultMessage"}
    history = ChatHistory()
    for one in messages:
        match one["type"]:
            case "TextMessage":
                role = "system" if one["role"] == "developer" else one["role"]
                history.add_message(ChatMessageContent(AuthorRole(role), content=one["content"]))
            case "ActionExecutionMessage" if one["id"] in answered:
                call = FunctionCallContent(
                    id=one["id"],
                    name=_function_name(one["name"], own),
                    arguments=json.dumps(one["arguments"]),
                )
                history.add_message(ChatMessageContent(AuthorRole.ASSISTANT, items=[call]))
            case "ResultMessage":
                result = FunctionResultContent(
                    id=one["actionExecutionId"],
                    name=_function_name(one["actionName"], own),
                    result=one["result"],
                )
                history.add_message(ChatMessageContent(AuthorRole.TOOL, items=[result]))
    return history


def _function_name(action: str, own: set[str]) -> str:
    return action if action in own else f"{_ACTIONS}-{action}"


def _declared(action: dict[str, Any]) -> KernelFunctionFromMethod:
    @kernel_function(name=action["name"], description=action.get("description") or "")
    async def left_open(**_: Any) -> str:
        return ""

    schema = action.get("parameters") or {}
    required = schema.get("required") or ()
    parameters = [
        KernelParameterMetadata(
            name=name,
            description=own.get("description"),
            type=str(own.get("type", "object")),
            is_required=name in required,
            schema_data=own,
        )
        for name, own in (schema.get("properties") or {}).items()
    ]
    return KernelFunctionFromMethod(left_open, _ACTIONS, parameters=parameters)
