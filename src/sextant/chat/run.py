"""A run under way: work that writes events, and ends when nobody wants it any more."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import Any, Protocol

from sextant.chat.events import EventLog
from sextant.errors import (
    HIDDEN,
    HIDDEN_HINT,
    BrokenStream,
    GuardrailDenied,
    ModelError,
    SextantError,
    Visibility,
    public_words,
)
from sextant.types import (
    FailureReason,
    RunEnd,
    RunEvent,
    RunFailed,
    RunStarted,
    RunStopped,
)

_log = logging.getLogger(__name__)
_UNREAD_S = 30.0
"""How long a run waits for its first reader: as long as a door may take to answer a request."""

WriteEvents = Callable[[EventLog], Coroutine[Any, Any, RunEnd]]
"""Writes the events of a run but the last, which it returns; it raises nothing."""


class Run(Protocol):
    """A run under way, or one that ended a short while ago."""

    @property
    def thread_id(self) -> str:
        """The thread that it is a part of."""

    @property
    def run_id(self) -> str:
        """The run's own id."""

    @property
    def agent(self) -> str:
        """Who answers; empty if it is a model alone."""

    def events(self, after: int = 0) -> AsyncGenerator[Sequence[RunEvent], None]:
        """Yield all events behind so many, in batches: whatever is there at once, then what comes.

        The first event is RunStarted, the last a RunEnd; then the generator ends. When the last
        reader closes its generator before the end, the run is cancelled down to the model's socket,
        unless it was started detached.
        """


class LiveRun:
    """A run that is carried out by a task of its own."""

    __slots__ = (
        *("_is_detached", "_log", "_task", "_unread", "agent", "run_id", "thread_id"),
        "__weakref__",  # a door may know more of a run, as long as there is one
    )

    def __init__(
        self, thread_id: str, run_id: str, agent: str, *, ahead: int, is_detached: bool = False
    ) -> None:
        self.thread_id, self.run_id, self.agent = thread_id, run_id, agent
        self._is_detached = is_detached
        self._log = EventLog() if is_detached else EventLog(ahead)
        self._task: asyncio.Task[RunEnd] | None = None
        self._unread: asyncio.TimerHandle | None = None

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self._log.end is not None

    @property
    def length(self) -> int:
        """How many events it has so far."""
        return len(self._log.events)

    def begin(self, work: WriteEvents, over: Callable[[], None]) -> None:
        """Let the work begin; it goes on beside whoever calls this, and is over with its end."""
        loop = asyncio.get_running_loop()
        self._log.append(RunStarted(self.thread_id, self.run_id, self.agent))
        self._task = loop.create_task(work(self._log))
        self._task.add_done_callback(partial(self._finish, over))
        if not self._is_detached:
            self._unread = loop.call_later(_UNREAD_S, self.stop)

    async def events(self, after: int = 0) -> AsyncGenerator[Sequence[RunEvent], None]:
        """Yield all events behind so many, in batches; who leaves last ends the run."""
        self._forget_timer()
        reading = self._log.read(after)
        try:
            async for batch in reading:
                yield batch
        finally:
            await reading.aclose()
            if not self._is_detached and not self._log.readers:
                self.stop()

    def stop(self) -> bool:
        """Cancel the work; return whether there was any left."""
        self._forget_timer()
        return not self.is_over and self._task is not None and self._task.cancel()

    async def wait(self, seconds: float | None = None) -> None:
        """Wait for the end, whatever it is, or for so long."""
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=seconds)

    def _forget_timer(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _finish(self, over: Callable[[], None], task: asyncio.Task[RunEnd]) -> None:
        self._forget_timer()
        # One that is cancelled before its first step has no result.
        self._log.finish(RunStopped() if task.cancelled() else task.result())
        over()


async def ended(work: Awaitable[RunEnd]) -> RunEnd:
    """Return how work ended, whatever happened in it."""
    try:
        return await work
    except asyncio.CancelledError:
        if task := asyncio.current_task():
            task.uncancel()
        return RunStopped()
    except SextantError as error:
        return failure_of(error)
    except Exception:
        _log.exception("A run failed.")
        return RunFailed("internal", HIDDEN, HIDDEN_HINT, visibility=Visibility.OPERATOR)


def failure_of(error: SextantError) -> RunFailed:
    """Return an error as the end of a run, in words that a caller may read."""
    message, hint = public_words(error)
    return RunFailed(
        error.code,
        message,
        hint,
        _reason_of(error),
        error.status if isinstance(error, ModelError) else 0,
        error.severity,
        error.visibility,
    )


def _reason_of(error: SextantError) -> FailureReason:
    if isinstance(error, GuardrailDenied):
        return FailureReason.GUARDRAIL
    return FailureReason.CUT_OFF if isinstance(error, BrokenStream) else FailureReason.UNKNOWN
