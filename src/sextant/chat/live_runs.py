"""The runs of this process: those under way, and those that ended a short while ago."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeAlias

from sextant.chat.run import LiveRun
from sextant.errors import Conflict, Overloaded
from sextant.settings import ChatSettings

ThreadKey: TypeAlias = tuple[str, str, str]
"""A tenant, a user of it, and the id under which the store keeps a thread of that user."""

_MOST_EVENTS = 50_000
"""Kept of runs that ended, in all: about 10 MB of short pieces of text."""


class LiveRuns:
    """Knows the run of each thread; one at a time is under way in each."""

    def __init__(self, settings: ChatSettings, clock: Callable[[], float] = time.monotonic) -> None:
        self._settings, self._clock = settings, clock
        self._under_way: dict[ThreadKey, LiveRun] = {}
        self._ended: dict[ThreadKey, tuple[float, LiveRun]] = {}
        self._kept_events = 0

    def __len__(self) -> int:
        return len(self._under_way)

    def find(self, key: ThreadKey) -> LiveRun | None:
        """Return the run of a thread that is under way or just ended."""
        if run := self._under_way.get(key):
            return run
        self._forget_old()
        return self._ended[key][1] if key in self._ended else None

    def add(self, key: ThreadKey, run: LiveRun) -> None:
        """Note that a run begins, or say why it cannot."""
        if key in self._under_way:
            raise Conflict(
                "A run is under way in this thread.", "Wait for its end, stop it, or read along."
            )
        if len(self._under_way) >= self._settings.runs:
            raise Overloaded("Too many runs are under way.", "Try again later.")
        self._drop(key)
        self._under_way[key] = run

    def end(self, key: ThreadKey) -> None:
        """Note that the run of a thread is over; it can be read for a while."""
        run = self._under_way.pop(key)
        self._ended[key] = (self._clock(), run)
        self._kept_events += run.length
        self._forget_old()

    def forget(self, key: ThreadKey) -> None:
        """Note that a run did not begin."""
        del self._under_way[key]

    async def close(self) -> None:
        """Stop every run and wait until each has let go of what it holds."""
        runs = list(self._under_way.values())
        for run in runs:
            run.stop()
        await asyncio.gather(*(run.wait() for run in runs))

    def _forget_old(self) -> None:
        oldest = self._clock() - self._settings.kept_seconds
        while self._ended:
            key, (at, _) = next(iter(self._ended.items()))
            if at > oldest and self._kept_events <= _MOST_EVENTS:
                return
            self._drop(key)

    def _drop(self, key: ThreadKey) -> None:
        if key in self._ended:
            self._kept_events -= self._ended.pop(key)[1].length
