"""One connection over HTTP/1.1: who is slow, says nonsense or comes when all is full is let go.

Knows uvicorn's protocol and adds to it the limits that it lacks; knows no app.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from sextant.errors import Overloaded
from sextant.serve.guards.headers.request_head import LONG
from sextant.serve.guards.headers.request_ids import chosen
from sextant.serve.http.coalescing import Corked
from sextant.serve.http.problem import MEDIA_TYPE, Problem, problem_of

_LINGER_S = 2.0
_CLOSE = ("connection", "close")
FULL = problem_of(Overloaded("The server has too many connections.", "Try again later.", 5.0))
SLOW = Problem(
    408, "too_slow", "Too slow", "The request did not come in time.", "Send it without pauses."
)
NONSENSE = Problem(
    400,
    "invalid_input",
    "Bad request",
    "This is no request that HTTP/1.1 allows.",
    "See whether a client or a proxy wrote it wrongly.",
)


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How many there may be, and how long one may take to say and to hear something."""

    connections: int
    header_seconds: float
    write_seconds: float


class Connection(H11Protocol):
    """A connection with limits; ``limited`` makes the class that has them."""

    limits: ClassVar[ConnectionLimits]

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._patience: asyncio.TimerHandle | None = None
        self._then: Callable[[], None] | None = None
        self._writing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request, but not for ever; if there is no room, say so."""
        super().connection_made(Corked(transport, self.loop, self.limits.write_seconds))
        if len(self.connections) > self.limits.connections:
            self._say(FULL)
        else:
            self._wait(self.limits.header_seconds, self._too_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._wait_no_more()
        self._write_on()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what comes; a request that has begun must be all there soon."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Go on with the next request; what is left of this one is waited for only shortly."""
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        """Wait until the client reads on, but not for ever."""
        super().pause_writing()
        self._writing = self.loop.call_later(self.limits.write_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on."""
        self._write_on()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's words
        """Refuse what is no request."""
        hint = getattr(sys.exception(), "error_status_hint", 400)
        self._say(LONG if hint == LONG.status else NONSENSE)

    def _watch(self) -> None:
        """Have patience where something has begun that should go on."""
        theirs = self.conn.their_state
        if self.transport.is_closing():
            self._wait_no_more()
        elif theirs is h11.SEND_BODY and self.conn.our_state is h11.DONE:
            self._wait(_LINGER_S, self.transport.close)
        elif theirs is h11.IDLE and self.conn.trailing_data[0]:
            self._wait(self.limits.header_seconds, self._too_slow)
        else:
            self._wait_no_more()

    def _wait(self, seconds: float, then: Callable[[], None]) -> None:
        """Do something after a while; a wait for the same thing goes on as it is."""
        if self._then != then:
            self._wait_no_more()
            self._then = then
            self._patience = self.loop.call_later(seconds, then)

    def _wait_no_more(self) -> None:
        if self._patience:
            self._patience.cancel()
        self._patience = self._then = None

    def _write_on(self) -> None:
        if self._writing:
            self._writing.cancel()
            self._writing = None

    def _too_slow(self) -> None:
        if self.conn.trailing_data[0]:
            self._say(SLOW)
        else:
            self.transport.close()

    def _say(self, problem: Problem) -> None:
        """Answer without an app, if that can still be done, and close."""
        self._wait_no_more()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.write(_answer(problem))
        self.transport.close()


def limited(limits: ConnectionLimits) -> type[Connection]:
    """Return the class of connections that have these limits."""
    return type("LimitedConnection", (Connection,), {"limits": limits})


def _answer(problem: Problem) -> bytes:
    request_id = chosen([])
    body = problem.body(request_id)
    headers = (
        *(one for one in problem.headers if one != _CLOSE),
        ("content-type", MEDIA_TYPE),
        ("content-length", str(len(body))),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("x-request-id", request_id),
        _CLOSE,
    )
    status = HTTPStatus(problem.status)
    lines = (f"HTTP/1.1 {status.value} {status.phrase}", *(f"{n}: {v}" for n, v in headers))
    return "\r\n".join((*lines, "", "")).encode() + body
