"""What a run is started with: AG-UI's RunAgentInput, and the request that it stands for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from sextant.serve.agui.messages import Shape, messages_of
from sextant.serve.copilotkit.shapes import read_shape
from sextant.serve.wire.common.models import Id, Wire
from sextant.types import (
    AgentState,
    ClientAction,
    ContextItem,
    InterruptAnswer,
    Json,
    ModelWishes,
    RunKind,
    RunRequest,
)

_ECHOED = (
    *("threadId", "runId", "parentRunId", "state", "messages", "tools", "context"),
    *("forwardedProps", "resume", "protocolVersion"),
)
_SUGGESTIONS = "copilotkitSuggest"
"""The action that clients force a model to call where they want suggestions."""
CANCELLED = json.dumps({"status": "cancelled"})
"""What clients write as the answer of a person who gave none."""


class ToolShape(Wire):
    """An action of the page."""

    name: str
    description: str | None = None
    parameters: Mapping[str, Any] | None = None


class ContextShape(Wire):
    """Something that the page knows."""

    description: str
    value: str


class ResumeShape(Wire):
    """An answer to an interrupt."""

    interrupt_id: Id
    status: str = "resolved"
    payload: Any = None


class RunInput(Wire):
    """What a run is started with; nobody else's fields are read."""

    thread_id: Id
    run_id: Id
    messages: list[Shape] = Field(default_factory=list)
    tools: list[ToolShape] | None = None
    context: list[ContextShape] | None = None
    state: Any = None
    forwarded_props: Any = None
    resume: list[ResumeShape] | None = None


def read_input(body: object) -> RunInput:
    """Return a body as what a run is started with, or say which field is wrong."""
    return read_shape(RunInput, body, "Send a RunAgentInput of AG-UI.")


def echoed(body: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return what a client is told again as its run starts."""
    return {name: body[name] for name in _ECHOED if body.get(name) is not None}


def run_request(given: RunInput, agent: str, kind: RunKind = RunKind.CHAT) -> RunRequest:
    """Return the request that a client's input stands for."""
    properties = given.forwarded_props if isinstance(given.forwarded_props, dict) else {}
    wishes = _wishes(properties)
    if wishes.tool_choice == _SUGGESTIONS:
        kind = RunKind.SUGGESTION
    return RunRequest(
        messages=messages_of(given.messages),
        thread_id=given.thread_id,
        run_id=given.run_id,
        kind=kind,
        agent=agent,
        node=_text(properties.get("nodeName")),
        actions=tuple(_action(one) for one in given.tools or ()),
        states=_states(given, agent, properties),
        wishes=wishes,
        context=tuple(ContextItem(one.description, one.value) for one in given.context or ()),
        answers=_answers(given, properties),
        properties=properties,
    )


def _action(tool: ToolShape) -> ClientAction:
    return ClientAction(tool.name, tool.description or "", tool.parameters or {})


def _states(given: RunInput, agent: str, properties: Mapping[str, Json]) -> tuple[AgentState, ...]:
    state = given.state if isinstance(given.state, dict) else {}
    config = properties.get("config")
    own = config if isinstance(config, dict) else {}
    return (AgentState(agent, state, own),) if state or own else ()


def _answers(given: RunInput, properties: Mapping[str, Json]) -> tuple[InterruptAnswer, ...]:
    """Return what a person answered, as AG-UI 1.0 says it or as clients did before."""
    if given.resume:
        return tuple(_answer(one) for one in given.resume)
    command = properties.get("command")
    if isinstance(command, dict) and "resume" in command:
        event = command.get("interruptEvent")
        value = "" if event is None else _text_or_json(event)
        return (InterruptAnswer(_text_or_json(command["resume"]), value=value),)
    return ()


def _answer(entry: ResumeShape) -> InterruptAnswer:
    response = CANCELLED if entry.status == "cancelled" else _text_or_json(entry.payload)
    return InterruptAnswer(response, entry.interrupt_id)


def _wishes(properties: Mapping[str, Json]) -> ModelWishes:
    """Return how the model is to reply; what is of another kind is not read."""
    temperature = properties.get("temperature")
    tokens = properties.get("maxOutputTokens", properties.get("maxTokens"))
    stop = properties.get("stopSequences", properties.get("stop"))
    is_number = isinstance(temperature, int | float) and not isinstance(temperature, bool)
    return ModelWishes(
        model=_text(properties.get("model")),
        max_tokens=int(tokens) if isinstance(tokens, int | float) and tokens > 0 else 0,
        stop=tuple(filter(None, map(_text, stop))) if isinstance(stop, list) else (),
        tool_choice=_tool_choice(properties.get("toolChoice")),
        temperature=float(temperature) if is_number else None,  # type: ignore[arg-type]
    )


def _tool_choice(given: Json) -> str:
    """Return a choice by its name: `auto`, `required`, or the one tool that must be called."""
    if not isinstance(given, dict):
        return _text(given)
    function = given.get("function")
    return _text(function.get("name") if isinstance(function, dict) else given.get("toolName"))


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _text_or_json(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
