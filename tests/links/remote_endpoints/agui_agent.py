"""An agent of AG-UI on a port of its own: events of PyPI ag-ui-protocol, written by its encoder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from ag_ui.core import (
    BaseEvent,
    RunAgentInput,
    RunFinishedEvent,
    RunStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallStartEvent,
)
from ag_ui.encoder import EventEncoder

from sextant.settings import ChatSettings, RemoteEndpointSettings, Settings
from tests.chat.running import PLAIN
from tests.loopback import Answer, Request, answering

Tell = Callable[[RunAgentInput], Answer]


@dataclass
class Agent:
    """Where it is, and what it was asked, as ag-ui-protocol reads it."""

    url: str = ""
    asked: list[RunAgentInput] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def settings(self, **chat: Any) -> Settings:
        """Return settings that name it."""
        return kind_settings("agui", f"{self.url}/agent/", **chat)


def kind_settings(kind: str, url: str, name: str = "notes", **chat: Any) -> Settings:
    """Return settings with one remote of a kind."""
    remote = RemoteEndpointSettings(name, url, kind, "Keeps notes.")
    own = ChatSettings(**({"grounding": "off", "remotes": (remote,)} | chat))
    return replace(PLAIN, chat=own)


@contextmanager
def agent(tell: Tell, reached: int | Answer = 405) -> Iterator[Agent]:
    """Serve an agent, which answers with this status or so where it is not posted to."""
    own = Agent()

    def answer(request: Request) -> Answer:
        if request.method != "POST":
            return reached if isinstance(reached, Answer) else Answer(reached)
        assert request.path == "/agent/"
        own.headers.append(request.headers)
        own.asked.append(RunAgentInput.model_validate_json(request.body))
        return tell(own.asked[-1])

    with answering(answer) as own.url:
        yield own


def encoded(*events: BaseEvent, **more: Any) -> Answer:
    """Return events as the encoder writes them."""
    encoder = EventEncoder()
    return Answer(body="".join(map(encoder.encode, events)).encode(), **more)


def whole(asked: RunAgentInput, *events: BaseEvent, **finish: Any) -> Answer:
    """Return a run of these events."""
    own: Any = {"thread_id": asked.thread_id, "run_id": asked.run_id}
    return encoded(RunStartedEvent(**own), *events, RunFinishedEvent(**own, **finish))


def text(message_id: str, *pieces: str) -> list[BaseEvent]:
    """Return the events of a message."""
    return [
        TextMessageStartEvent(message_id=message_id, role="assistant"),
        *(TextMessageContentEvent(message_id=message_id, delta=one) for one in pieces),
        TextMessageEndEvent(message_id=message_id),
    ]


def call(call_id: str, name: str, arguments: str) -> list[BaseEvent]:
    """Return the events of a call."""
    return [
        ToolCallStartEvent(tool_call_id=call_id, tool_call_name=name),
        ToolCallArgsEvent(tool_call_id=call_id, delta=arguments),
        ToolCallEndEvent(tool_call_id=call_id),
    ]
