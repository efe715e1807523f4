"""What a CopilotKit runtime sends to a remote endpoint, and the request that it stands for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import Field

from sextant.serve.copilotkit.shapes import read_shape
from sextant.serve.graphql.messages import messages_of
from sextant.serve.wire.common.models import Id, Wire
from sextant.text.codec.action_parameters import schema_of
from sextant.text.codec.json_bytes import written
from sextant.types import (
    AgentState,
    ClientAction,
    InterruptAnswer,
    RunRequest,
)

S = TypeVar("S", bound=Wire)
Role = Literal["user", "assistant", "system", "developer", "tool"]


class TextShape(Wire):
    """Something that somebody wrote."""

    id: Id
    type: Literal["TextMessage"]
    content: str
    role: Role
    parent_message_id: str | None = None


class ImageShape(Wire):
    """A picture that somebody showed."""

    id: Id
    type: Literal["ImageMessage"]
    format: str
    bytes: str
    role: Role
    parent_message_id: str | None = None


class CallShape(Wire):
    """An action that an assistant wants carried out."""

    id: Id
    type: Literal["ActionExecutionMessage"]
    name: str
    arguments: Any = None
    parent_message_id: str | None = None


class ResultShape(Wire):
    """What an action returned."""

    id: Id
    type: Literal["ResultMessage"]
    action_execution_id: Id
    action_name: str = ""
    result: Any = None


class StateShape(Wire):
    """How an agent stood."""

    id: Id
    type: Literal["AgentStateMessage"]
    agent_name: str
    state: Any = None
    node_name: str = ""
    run_id: str = ""
    active: bool = False
    running: bool = False


Shape: TypeAlias = Annotated[
    TextShape | ImageShape | CallShape | ResultShape | StateShape, Field(discriminator="type")
]
_FIELDS = {
    TextShape: "textMessage",
    ImageShape: "imageMessage",
    CallShape: "actionExecutionMessage",
    ResultShape: "resultMessage",
    StateShape: "agentStateMessage",
}
"""Under which field the same message stands in GraphQL."""


class ActionShape(Wire):
    """An action that whoever asks carries out; its parameters are a JSON schema, or a list."""

    name: str
    description: str | None = None
    parameters: dict[str, Any] | list[dict[str, Any]] | None = None


class MetaShape(Wire):
    """An event beside the messages; one with a response answers the interrupt of its value."""

    name: str = ""
    value: Any = None
    response: Any = None


class InfoCall(Wire):
    """Who wants to know what there is."""

    properties: dict[str, Any] | None = None


class ActionCall(InfoCall):
    """An action that is to be carried out."""

    name: Id
    arguments: dict[str, Any] | None = None


class StateCall(InfoCall):
    """Whose state in which thread is wanted."""

    name: Id
    thread_id: Id


class AgentCall(InfoCall):
    """A run of an agent."""

    name: Id
    thread_id: str | None = None
    node_name: str | None = None
    messages: list[Shape] = Field(default_factory=list)
    state: dict[str, Any] | None = None
    config: dict[str, Any] | None = None
    actions: list[ActionShape] | None = None
    meta_events: list[MetaShape] | None = None


def read_call(kind: type[S], body: object) -> S:
    """Return a body as what it has to be here, or say which field is wrong."""
    return read_shape(kind, body, "Send what a CopilotKit runtime sends to a remote endpoint.")


def run_request(call: AgentCall) -> RunRequest:
    """Return the request that a run of an agent stands for."""
    state = AgentState(call.name, call.state or {}, call.config or {})
    return RunRequest(
        messages=messages_of([_as_graphql(one) for one in call.messages]),
        thread_id=call.thread_id or "",
        agent=call.name,
        node=call.node_name or "",
        actions=tuple(_action(one) for one in call.actions or ()),
        states=(state,) if call.state or call.config else (),
        answers=tuple(_answers(call.meta_events or ())),
        properties=call.properties or {},
    )


def _as_graphql(shape: Shape) -> Mapping[str, Any]:
    own = shape.model_dump(by_alias=True)
    for name in ("arguments", "state", "result"):
        if name in own:
            own[name] = _text_or_json(own[name])
    return {"id": shape.id, "createdAt": None, _FIELDS[type(shape)]: own}


def _action(shape: ActionShape) -> ClientAction:
    given = shape.parameters or {}
    schema = schema_of(given) if isinstance(given, list) else given
    return ClientAction(shape.name, shape.description or "", schema)


def _answers(events: Iterable[MetaShape]) -> Iterable[InterruptAnswer]:
    return (
        InterruptAnswer(
            _text_or_json(one.response), value="" if one.value is None else _text_or_json(one.value)
        )
        for one in events
        if one.response is not None
    )


def _text_or_json(value: Any) -> str:
    if isinstance(value, str):
        return value
    return written({} if value is None else value).decode()
