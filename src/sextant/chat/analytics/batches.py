"""Events on their way to whoever counts them: sampled, in batches, retried within bounds.

A run never waits for it. What is not taken in time is dropped, and the log says how much.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import random

from sextant.errors import PeerUnreachable, SextantError
from sextant.ports import AnalyticsSink
from sextant.prompting.calls.backoff import pause_before
from sextant.settings import AnalyticsSettings
from sextant.types import RunReport, UsageEvent

_log = logging.getLogger(__name__)
_LAST_S = 5.0
"""How long the end of a process may wait for what is left: an orchestrator gives it 30 s in all."""


@dataclass(slots=True)
class UsageEvents:
    """Hears what runs came to, and sends it on beside them. For one event loop."""

    sink: AnalyticsSink
    settings: AnalyticsSettings
    chance: Callable[[], float] = random
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    _waiting: deque[UsageEvent] = field(default_factory=deque)
    _dropped: int = 0
    _is_full: asyncio.Event = field(default_factory=asyncio.Event)
    _sending: asyncio.Task[None] | None = None
    _is_closing: bool = False

    def hear(self, report: RunReport) -> None:
        """Take in what a run came to, if it is in the sample."""
        if self._is_closing or self.chance() >= self.settings.sample:
            return
        self._waiting.append(UsageEvent(datetime.now(UTC), report))
        while len(self._waiting) > self.settings.waiting:
            self._waiting.popleft()
            self._dropped += 1
        if len(self._waiting) >= self.settings.batch:
            self._is_full.set()
        if self._sending is None or self._sending.done():
            self._sending = asyncio.get_running_loop().create_task(self._send_all())

    async def close(self) -> None:
        """Send what is left, within a bound."""
        self._is_closing = True
        self._is_full.set()
        if self._sending is None:
            return
        await asyncio.wait({self._sending}, timeout=_LAST_S)
        if not self._sending.done():
            self._sending.cancel()
            await asyncio.wait({self._sending})
            self._drop(len(self._waiting), "the process ends")

    async def _send_all(self) -> None:
        """Send batch by batch until none is left."""
        while self._waiting:
            await self._wait_for_batch()
            size = min(len(self._waiting), self.settings.batch)
            batch = [self._waiting.popleft() for _ in range(size)]
            await self._send(batch)
            if self._dropped:
                dropped, self._dropped = self._dropped, 0
                self._drop(dropped, "too many wait")

    async def _wait_for_batch(self) -> None:
        if self._is_closing or len(self._waiting) >= self.settings.batch:
            return
        self._is_full.clear()
        try:
            async with asyncio.timeout(self.settings.batch_seconds):
                await self._is_full.wait()
        except TimeoutError:
            return

    async def _send(self, batch: Sequence[UsageEvent]) -> None:
        for retry in range(self.settings.retries + 1):
            try:
                await self.sink.send(batch)
            except PeerUnreachable as error:
                if retry == self.settings.retries:
                    self._drop(len(batch), error.message)
                    return
                await self.pause(pause_before(retry, error))
            except asyncio.CancelledError:
                self._waiting.extendleft(reversed(batch))
                raise
            except Exception as error:
                is_ours = isinstance(error, SextantError)
                self._drop(len(batch), str(error) if is_ours else type(error).__name__)
                return
            else:
                return

    def _drop(self, count: int, why: str) -> None:
        if count:
            _log.warning("%d events for %s are dropped: %s", count, self.sink.name, why)
