"""What an agent has in one run: who asks, what was said, and where to say what happens."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol
from uuid import uuid4

from sextant.chat.events import EventLog
from sextant.types import (
    ChatMessage,
    JsonObject,
    RunEvent,
    RunRequest,
    Scope,
    StateChanged,
    TextAdded,
    TextEnded,
    TextStarted,
    Usage,
)


@dataclass(slots=True)
class RunContext:
    """One run as whoever answers sees it. The state is the agent's own and is kept with the thread.

    Messages are those of the thread, the last one is what is to be answered. The answer is what a
    person said to the interrupt that the agent waits with, if that is why it runs.
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
    answer: str | None = None
    usage: Usage = field(default_factory=Usage)

    def emit(self, event: RunEvent) -> None:
        """Let readers know of an event."""
        self.log.append(event)

    def say(self, text: str) -> None:
        """Write a whole message."""
        message_id = new_id()
        self.emit(TextStarted(message_id))
        self.emit(TextAdded(message_id, text))
        self.emit(TextEnded(message_id))

    def change_state(self, state: JsonObject, node: str = "", *, is_running: bool = True) -> None:
        """Set the agent's state, and the step that it is at."""
        self.state, self.node = state, node
        told = json.dumps(state, ensure_ascii=False, separators=(",", ":"))
        self.emit(
            StateChanged(
                new_id(), self.agent, node, told, is_active=is_running, is_running=is_running
            )
        )


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
