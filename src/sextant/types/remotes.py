"""What is asked of a remote endpoint: for whom, and with what an agent there runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sextant.types.asking import Json
from sextant.types.chatting import ChatMessage, ContextItem
from sextant.types.knowledge import Scope
from sextant.types.talking import JsonObject, ToolSpec


@dataclass(frozen=True, slots=True)
class RemoteCall:
    """For whom a remote endpoint is asked, and what is told to it beside what is asked.

    Where nobody in particular asks, such as for what is offered there, there is no scope.
    """

    remote: str
    scope: Scope | None = None
    properties: Mapping[str, Json] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RemoteAnswer:
    """What an agent asked a person, and what the person said."""

    question: str
    response: str
    interrupt_id: str = ""
    """How the agent called its question, if it did."""


@dataclass(frozen=True, slots=True)
class RemoteRun:
    """What an agent elsewhere is given for a run. The thread is one that nobody else's is."""

    agent: str
    thread_id: str
    messages: tuple[ChatMessage, ...] = ()
    actions: tuple[ToolSpec, ...] = ()
    state: JsonObject = field(default_factory=dict)
    config: JsonObject = field(default_factory=dict)
    node: str = ""
    answers: tuple[RemoteAnswer, ...] = ()
    context: tuple[ContextItem, ...] = ()


@dataclass(frozen=True, slots=True)
class RemoteState:
    """How an agent elsewhere says that it stands: in which thread, in which run of its own."""

    thread_id: str
    run_id: str
    node: str
    state: JsonObject
    is_running: bool
