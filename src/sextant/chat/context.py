"""What an agent has in one run: who asks, what was said, and where to say what happens."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import NoReturn, Protocol, runtime_checkable
from uuid import uuid4

from sextant.chat.actions.interrupts import Answered, Paused, Pending
from sextant.chat.events import EventLog
from sextant.errors import NotFound
from sextant.types import (
    ActionEnded,
    ActionStarted,
    ArgumentsAdded,
    ChatMessage,
    Interrupted,
    Json,
    JsonObject,
    RunEvent,
    RunRequest,
    Scope,
    StateChanged,
    TextAdded,
    TextEnded,
    TextStarted,
    ToolCall,
    ToolSpec,
    Usage,
)

DEFAULT_AGENT = "default"
"""Who answers where nobody is named; no other agent has that name."""


class EventScreen(Protocol):
    """Sees every event of whoever answers before its readers do."""

    def screen(self, event: RunEvent) -> Iterable[RunEvent]:
        """Return what is told instead of an event, which may be it."""

    def end(self) -> Iterable[RunEvent]:
        """Return what was held back."""


@dataclass(slots=True)
class RunContext:
    """One run as whoever answers sees it. The state is the agent's own and is kept with the thread.

    Messages are those of the thread, the last one is what is to be answered. Where a person
    answered what the thread waited with, that is why it runs.
    """

    scope: Scope
    request: RunRequest
    thread_id: str
    run_id: str
    agent: str
    log: EventLog
    messages: Sequence[ChatMessage] = ()
    state: JsonObject = field(default_factory=dict)
    config: JsonObject = field(default_factory=dict)
    node: str = ""
    answered: tuple[Answered, ...] = ()
    pending: list[Pending] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    called: set[str] = field(default_factory=set)
    """The ids of the calls that this run told so far."""
    first_text_at: float | None = None
    """When the first message began, by the monotonic clock."""
    tools: tuple[ToolSpec, ...] = ()
    """What an agent of one's own may have done by `call`: all actions that wait for nobody."""
    perform: Perform | None = None
    screen: EventScreen | None = None

    def emit(self, event: RunEvent) -> None:
        """Let readers know of an event."""
        if self.screen is None:
            self.log.append(event)
        else:
            for own in self.screen.screen(event):
                self.log.append(own)

    def release(self) -> None:
        """Let readers know of what is held back, as nothing more comes."""
        for own in self.screen.end() if self.screen else ():
            self.log.append(own)

    def start_text(self, message_id: str) -> None:
        """Begin a message."""
        if self.first_text_at is None:
            self.first_text_at = monotonic()
        self.emit(TextStarted(message_id))

    def say(self, text: str) -> None:
        """Write a whole message."""
        message_id = new_id()
        self.start_text(message_id)
        self.emit(TextAdded(message_id, text))
        self.emit(TextEnded(message_id))

    async def call(self, name: str, arguments: JsonObject | None = None) -> str:
        """Have one of the tools do its work, tell both, and return what came of it."""
        if self.perform is None:
            raise NotFound(f"There is no action {name[:80]!r} here.", "Use one of `tools`.")
        made = ToolCall(new_id(), name, json.dumps(arguments or {}, ensure_ascii=False))
        self.called.add(made.id)
        self.emit(ActionStarted(made.id, name))
        self.emit(ArgumentsAdded(made.id, made.arguments))
        self.emit(ActionEnded(made.id))
        return await self.perform(self, made)

    @property
    def answer(self) -> str | None:
        """What a person answered to the last interrupt of the agent itself, if anything."""
        own = [one.response for one in self.answered if not one.pending.call_id]
        return own[-1] if own else None

    def interrupt(self, value: Json) -> NoReturn:
        """Stop here and ask a person; the agent runs again when there is an answer.

        What is no text is told as JSON.
        """
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        self.wait_for_person(text)
        raise Paused

    def wait_for_person(
        self, value: str, call: ToolCall | None = None, remote_id: str = ""
    ) -> None:
        """Ask a person something, or whether a call may be carried out."""
        made = Pending(new_id(), self.agent, value, remote_id=remote_id)
        if call:
            made = replace(made, call_id=call.id, action=call.name, arguments=call.arguments)
        self.pending.append(made)
        self.emit(Interrupted(made.id, value, made.call_id))

    def change_state(self, state: JsonObject, node: str = "", *, is_running: bool = True) -> None:
        """Set the agent's state, and the step that it is at."""
        self.state, self.node = state, node
        told = json.dumps(state, ensure_ascii=False, separators=(",", ":"))
        self.emit(
            StateChanged(
                new_id(), self.agent, node, told, is_active=is_running, is_running=is_running
            )
        )


Perform = Callable[[RunContext, ToolCall], Awaitable[str]]
"""Carries out a call that was told, tells its result, and returns it as text."""
Work = Callable[[RunContext], Awaitable[None]]
"""Carries out one run."""


@runtime_checkable
class Agent(Protocol):
    """Answers in a thread: it reads the context of a run, and tells what happens there."""

    @property
    def name(self) -> str:
        """How clients call it."""

    @property
    def description(self) -> str:
        """What it is for, in a sentence."""

    async def run(self, context: RunContext) -> None:
        """Carry out one run; an error of our tree, or any other, is told as its failure."""


def new_id() -> str:
    """Return an id that nobody else has."""
    return str(uuid4())
