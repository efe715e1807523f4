"""What a copilot sends with a run: the messages so far, its actions, its state and its wishes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from sextant.types.asking import Json
from sextant.types.runs import Interrupted
from sextant.types.talking import Image, JsonObject, Speaker, ToolSpec


@dataclass(frozen=True, slots=True)
class TextMessage:
    """Something that somebody wrote."""

    id: str
    speaker: Speaker
    text: str
    parent_id: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ImageMessage:
    """A picture that somebody showed."""

    id: str
    speaker: Speaker
    image: Image
    parent_id: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ActionMessage:
    """An action that the assistant wants carried out; the id is the call's."""

    id: str
    name: str
    arguments: str
    parent_id: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ResultMessage:
    """What an action returned, as text that is usually JSON."""

    id: str
    call_id: str
    name: str
    result: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class StateMessage:
    """How an agent stood at that time; the state is JSON as the agent wrote it."""

    id: str
    agent: str
    state: str
    node: str = ""
    run_id: str = ""
    is_active: bool = False
    is_running: bool = False
    at: datetime | None = None


ChatMessage: TypeAlias = TextMessage | ImageMessage | ActionMessage | ResultMessage | StateMessage


class ActionPlace(StrEnum):
    """Who carries out an action that a client names."""

    CLIENT = "client"
    """The page itself, once the run has ended."""
    REMOTE = "remote"
    """An agent, which tells the client to; a model is not offered it."""
    NOWHERE = "nowhere"
    """Nobody: it is switched off."""


@dataclass(frozen=True, slots=True)
class ClientAction:
    """An action of the client: what it is for, and a JSON schema of its arguments."""

    name: str
    description: str = ""
    parameters: JsonObject = field(default_factory=dict)
    place: ActionPlace = ActionPlace.CLIENT


class RunKind(StrEnum):
    """What a run is for; only a chat is grounded."""

    CHAT = "Chat"
    TASK = "Task"
    TEXTAREA_COMPLETION = "TextareaCompletion"
    TEXTAREA_POPOVER = "TextareaPopover"
    SUGGESTION = "Suggestion"


@dataclass(frozen=True, slots=True)
class ModelWishes:
    """How a client would like the model to reply; None and empty leave it to the settings."""

    model: str = ""
    max_tokens: int = 0
    stop: tuple[str, ...] = ()
    tool_choice: str = ""
    temperature: float | None = None


@dataclass(frozen=True, slots=True)
class AgentState:
    """The state and the configuration of an agent, as a client sends them back."""

    agent: str
    state: JsonObject = field(default_factory=dict)
    config: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class InterruptAnswer:
    """What a person answers to an interrupt: the one of this id, or else of this value.

    Without either it is for the one that was asked first of those that wait.
    """

    response: str
    interrupt_id: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class ContextItem:
    """Something that the page knows and says of itself."""

    description: str
    value: str


@dataclass(frozen=True, slots=True)
class TopicRules:
    """What a user may write about: one of the topics that are allowed, if any, and none denied."""

    allowed: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GuardedInput:
    """What a user wrote last, what was said before it, and which topics hold for it."""

    text: str
    rules: TopicRules = TopicRules()
    before: tuple[TextMessage, ...] = ()
    client_key: str = field(default="", repr=False)
    """The client's own key for a guardrail in the cloud, if it sent one."""


@dataclass(frozen=True, slots=True)
class GuardVerdict:
    """Whether what a user wrote may be answered, and if not, why, as the user is told it."""

    is_allowed: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What a run is started with. Without an agent, the settings say who answers.

    Ids that are left out are made. The node is where an agent is to go on. Properties are the
    application's own, and reach agents and hooks as they are. Topics are checked beside those of
    the settings; where a guardrail of the cloud does so, it may want the client's key.
    """

    messages: tuple[ChatMessage, ...] = ()
    thread_id: str = ""
    run_id: str = ""
    kind: RunKind = RunKind.CHAT
    agent: str = ""
    node: str = ""
    actions: tuple[ClientAction, ...] = ()
    states: tuple[AgentState, ...] = ()
    wishes: ModelWishes = ModelWishes()
    context: tuple[ContextItem, ...] = ()
    answers: tuple[InterruptAnswer, ...] = ()
    properties: Mapping[str, Json] = field(default_factory=dict)
    page_url: str = ""
    topics: TopicRules | None = None
    cloud_key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class AgentCard:
    """An agent that a client may name, and what it is for."""

    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Offer:
    """The agents and actions of one process, for runtimes elsewhere that use them."""

    agents: tuple[AgentCard, ...] = ()
    actions: tuple[ToolSpec, ...] = ()


@dataclass(frozen=True, slots=True)
class ThreadState:
    """What is kept of a thread: the last state of one agent in it, as JSON, and its messages.

    Interrupts are those that still wait for an answer. The open run is one that began and whose end
    nobody wrote down, such as where its process was killed; one that is under way here is none.
    """

    thread_id: str
    exists: bool
    state: str = "{}"
    messages: tuple[ChatMessage, ...] = ()
    interrupts: tuple[Interrupted, ...] = ()
    open_run: str = ""
