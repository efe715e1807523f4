"""An answer as it comes about: server-sent events, in the order in which the line tells them."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Send
from starlette.types import Scope as ScopeOfAsgi

from sextant.ask.question import Question
from sextant.core import Sextant
from sextant.errors import SextantError
from sextant.retrieval.events import Event, StepBegan, StepEnded, Text
from sextant.serve.http.problem import Problem, problem_of, request_id_of, unmeant
from sextant.serve.rest.request.bodies import STREAM
from sextant.serve.wire.answer import TraceForm, citation_of, reply_of, step_of
from sextant.serve.wire.toolbox.suggesting import suggested_for
from sextant.text.codec.json_bytes import written
from sextant.types import Citation, Scope

_log = logging.getLogger(__name__)
KEEP_ALIVE_S = 15.0
_MOST_WAITING = 64
COMMENT = b": still there\n\n"


@dataclass(slots=True)
class Waiting:
    """Events that a client has yet to take; pieces of text become one where it is slow."""

    events: deque[tuple[str, Any]] = field(default_factory=deque)
    told: asyncio.Event = field(default_factory=asyncio.Event)

    def add(self, name: str, value: Any) -> None:
        """Let an event wait for its turn."""
        if name == "text" and len(self.events) >= _MOST_WAITING and self.events[-1][0] == name:
            value = {"text": self.events.pop()[1]["text"] + value["text"]}
        self.events.append((name, value))
        self.told.set()

    def hear(self, event: Event) -> None:
        """Listen to the line; its answer comes as the end of it."""
        match event:
            case StepBegan(step_id, name):
                self.add("begin", {"id": step_id, "name": name})
            case StepEnded(step_id, step, failed=False):
                self.add("step", {"id": step_id, **step_of(step)})
            case Text(text):
                self.add("text", {"text": text})
            case Citation():
                self.add("citation", citation_of(event))
            case _:
                pass


class Closing(StreamingResponse):
    """A stream that is closed at once when it is cancelled, as the guards do with who leaves."""

    def __init__(self, events: AsyncGenerator[bytes, None], headers: Mapping[str, str]) -> None:
        super().__init__(events, headers=headers, media_type=STREAM)
        self._events = events

    async def __call__(self, _scope: ScopeOfAsgi, _receive: Receive, send: Send) -> None:
        """Send events until there are no more."""
        async with aclosing(self._events):
            await self.stream_response(send)


@dataclass(frozen=True, slots=True)
class Stream:
    """A question whose answer is sent as it comes about."""

    request: Request
    sextant: Sextant
    scope: Scope
    question: Question
    trace: TraceForm | None = None
    with_tools: bool = False
    waiting: Waiting = field(default_factory=Waiting)

    def response(self) -> Response:
        """Return the stream as a response; who leaves it ends the work."""
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return Closing(self._sent(), headers)

    async def _sent(self) -> AsyncGenerator[bytes, None]:
        working = asyncio.create_task(self._work())
        try:
            async for name, value in self._events(working):
                yield framed(name, value) if name else COMMENT
        finally:
            if working.cancel():
                await asyncio.wait({working})

    async def _events(self, working: asyncio.Task[None]) -> AsyncGenerator[tuple[str, Any], None]:
        """Yield events until the work is done; one without a name where nothing happens."""
        waiting = self.waiting
        while waiting.events or not working.done():
            while waiting.events:
                yield waiting.events.popleft()
                await asyncio.sleep(0)  # only in between is it noticed that a client left
            if working.done():
                continue
            waiting.told.clear()
            try:
                async with asyncio.timeout(KEEP_ALIVE_S):
                    await waiting.told.wait()
            except TimeoutError:
                yield "", None

    async def _work(self) -> None:
        """Ask, and say at the end what it came to."""
        waiting = self.waiting
        try:
            answer = await self.sextant.ask(self.scope, self.question, waiting.hear)
            told = reply_of(answer, self.question.conversation, self.trace)
            if self.with_tools:
                told |= await suggested_for(self.sextant, self.scope, answer)
            waiting.add("done", told)
        except SextantError as error:
            self._fail(problem_of(error))
        except Exception:
            _log.exception("The request %s failed.", request_id_of(self.request.scope))
            self._fail(unmeant())
        finally:
            waiting.told.set()

    def _fail(self, problem: Problem) -> None:
        self.waiting.add("error", problem.content(request_id_of(self.request.scope)))


def framed(name: str, value: Any) -> bytes:
    """Return an event as it is sent; JSON has no line breaks that could end it early."""
    return b"event: %b\ndata: %b\n\n" % (name.encode(), written(value))
