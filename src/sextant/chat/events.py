"""The events of one run: written once, read by many, each from where it likes. Knows no run.

All events are kept as long as the run is, which is what makes any point replayable; a run's length
is bounded by what its model and its actions may say. A writer that has readers stays at most
`ahead` events before the fastest of them, so that a slow client slows the model down and not the
server; slower readers catch up from what is kept.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from sextant.types import RunEnd, RunEvent


@dataclass(slots=True, eq=False)
class _Reader:
    position: int


class EventLog:
    """Grows until its end is written. For one event loop."""

    __slots__ = ("_ahead", "_end", "_events", "_reached", "_readers", "_room", "_waiting")

    def __init__(self, ahead: int = sys.maxsize) -> None:
        self._ahead = ahead
        self._events: list[RunEvent] = []
        self._readers: set[_Reader] = set()
        self._reached = 0
        self._waiting: list[asyncio.Future[None]] = []
        self._room: asyncio.Future[None] | None = None
        self._end: RunEnd | None = None

    @property
    def end(self) -> RunEnd | None:
        """How it ended, if it did."""
        return self._end

    @property
    def events(self) -> Sequence[RunEvent]:
        """All events so far."""
        return self._events

    @property
    def readers(self) -> int:
        """How many read it now."""
        return len(self._readers)

    @property
    def is_ahead(self) -> bool:
        """Whether the writer has to wait for a reader."""
        return len(self._events) - self._reached >= self._ahead

    def append(self, event: RunEvent) -> None:
        """Write an event; nothing is written after the end."""
        if self._end is not None:
            return
        self._events.append(event)
        if self._waiting:
            self._wake()

    def finish(self, end: RunEnd) -> None:
        """Write the last event."""
        self.append(end)
        self._end = self._end or end

    async def wait_for_room(self) -> None:
        """Wait until a reader has come closer."""
        while self.is_ahead:
            self._room = asyncio.get_running_loop().create_future()
            await self._room

    async def read(self, after: int = 0) -> AsyncGenerator[Sequence[RunEvent], None]:
        """Yield what comes behind so many events, as much as there is each time, until the end."""
        reader = _Reader(max(0, after))
        self._readers.add(reader)
        try:
            while True:
                if reader.position < len(self._events):
                    batch = self._events[reader.position :]
                    reader.position = len(self._events)
                    self._note_progress()
                    yield batch
                elif self._end is not None:
                    return
                else:
                    await self._next_event()
        finally:
            self._readers.discard(reader)
            self._note_progress()

    async def _next_event(self) -> None:
        waiting = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        await waiting

    def _wake(self) -> None:
        for one in self._waiting:
            if not one.done():
                one.set_result(None)
        self._waiting.clear()

    def _note_progress(self) -> None:
        self._reached = max((one.position for one in self._readers), default=0)
        if self._room is not None and not self._room.done():
            self._room.set_result(None)
