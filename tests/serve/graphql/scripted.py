"""A copilot that plays events as they are written down, and the door's app before it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from starlette.types import Message

from sextant.errors import AgentNotFound
from sextant.serve.caller import EVERY_ROLE, Caller
from sextant.serve.graphql.app import GraphqlApp
from sextant.serve.house import Porch, Visit
from sextant.serve.identity.nobody import Nobody
from sextant.serve.records.audit import Silent
from sextant.settings import Settings
from sextant.types import (
    AgentCard,
    RunEvent,
    RunRequest,
    Scope,
    Speaker,
    TextMessage,
    ThreadState,
)

CLIENT = (
    "application/graphql-response+json, application/graphql+json, application/json, "
    "text/event-stream, multipart/mixed"
)
"""What every release of the client accepts."""


@dataclass
class ScriptedRun:
    """Plays its batches; it knows whether somebody closed it before the end."""

    batches: Sequence[Sequence[RunEvent]]
    thread_id: str = "thread-1"
    run_id: str = "run-1"
    agent: str = "research"
    is_closed: bool = False

    async def events(self, after: int = 0) -> AsyncGenerator[Sequence[RunEvent], None]:
        try:
            for batch in self.batches[after:]:
                yield batch
        finally:
            self.is_closed = True


@dataclass
class ScriptedCopilot:
    """Knows the agent `research`, and remembers what it was asked."""

    run: ScriptedRun = field(default_factory=lambda: ScriptedRun([]))
    asked: list[RunRequest] = field(default_factory=list)

    async def agents(self, _: Scope) -> Sequence[AgentCard]:
        return [AgentCard("research", "Research agent")]

    async def start(self, _: Scope, request: RunRequest) -> ScriptedRun:
        if request.agent not in ("", "research"):
            raise AgentNotFound(f"There is no agent {request.agent!r}.", "There is: research.")
        self.asked.append(request)
        return self.run

    async def load_state(self, _: Scope, thread_id: str, agent: str) -> ThreadState:
        assert agent == "research"
        messages = (TextMessage("m1", Speaker.USER, "hi"),)
        return ThreadState(thread_id, thread_id == "known", '{"a": 1}', messages)


@dataclass(frozen=True)
class Answered:
    """What was sent over HTTP."""

    status: int
    content_type: str
    body: bytes

    @property
    def json(self) -> Any:
        """The body as one value."""
        return json.loads(self.body)

    @property
    def payloads(self) -> list[bytes]:
        """The payloads of a multipart body, whose every length is said and right."""
        assert self.content_type == 'multipart/mixed; boundary="-"'
        first, *parts, last = self.body.split(b"\r\n---")
        assert (first, last) == (b"", b"--\r\n")
        return [_checked(part) for part in parts]

    @property
    def events(self) -> list[bytes]:
        """The payloads of a stream of events."""
        assert self.content_type.startswith("text/event-stream")
        *told, last, end = self.body.split(b"\n\n")
        assert (last, end) == (b"event: complete\ndata:", b"")
        assert all(one.startswith(b"event: next\ndata: ") for one in told)
        return [one.removeprefix(b"event: next\ndata: ") for one in told]


def _checked(part: bytes) -> bytes:
    head, _, body = part.partition(b"\r\n\r\n")
    assert head.startswith(b"\r\nContent-Type: application/json; charset=utf-8\r\n")
    assert int(head.rpartition(b": ")[2]) == len(body)
    return body


def answer(copilot: ScriptedCopilot, body: Any, accept: str = CLIENT, **serve: Any) -> Answered:
    """Send a request to the app alone, without guards."""
    settings = Settings()
    settings = replace(settings, serve=replace(settings.serve, **serve))
    app = GraphqlApp(Porch(settings, Nobody(settings), Silent(), None), copilot)
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    visit = Visit(Caller("test", "default", roles=EVERY_ROLE), "id", "copilotkit")
    headers = [(b"accept", accept.encode())] if accept else []
    scope = {"type": "http", "headers": headers, "state": {"visit": visit}}
    asyncio.run(app.answer(scope, body, send))
    start, *bodies = sent
    assert [one.get("more_body", False) for one in bodies] == [True] * (len(bodies) - 1) + [False]
    kind = dict(start["headers"])[b"content-type"].decode()
    return Answered(start["status"], kind, b"".join(one["body"] for one in bodies))
