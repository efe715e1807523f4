"""How long a model may take: between two pieces, and in all. Knows no provider.

Only the time in which somebody waits for the model counts, and only that wait is ever cancelled:
whoever reads the pieces may take as long as it likes over each. A piece costs two looks at the
clock; the one timer looks only now and then, and sleeps on if something came meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from sextant.errors import ModelTimeout
from sextant.types import Delta

_AGAIN_S = 1.0
"""How long a cancelled model may tidy up before it is cancelled once more."""

_CLOSING_S = 2.0
_OFTEN_S = 0.005


class Watch:
    """The time of one call, with all its tries. Whose turn it is, is said for every piece."""

    __slots__ = (
        "_before",
        "_cancels",
        "_clock",
        "_deadline",
        "_loop",
        "_name",
        "_paused",
        "_silence_s",
        "_since",
        "_task",
        "_timer",
        "_total_s",
        "is_waiting",
    )

    def __init__(
        self, name: str, silence_s: float, total_s: float, clock: Callable[[], float]
    ) -> None:
        self._name, self._silence_s, self._total_s = name, silence_s, total_s
        self._clock, self._loop = clock, asyncio.get_running_loop()
        self._since = self._paused = clock()
        self._deadline = self._paused + total_s
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[Any] | None = None
        self._before = self._cancels = 0
        self.is_waiting = False
        """Whether it is the model's turn, or was when a try ended."""

    @property
    def left_s(self) -> float:
        """How much of the whole time is left."""
        return self._deadline - self._clock()

    @asynccontextmanager
    async def over(
        self, deltas: AsyncGenerator[Delta, None]
    ) -> AsyncIterator[AsyncGenerator[Delta, None]]:
        """Watch one try from here on; at the end of it the model is let go of, in any case."""
        # What came before this, such as a pause between two tries, is the model's own fault.
        self._paused = self._clock()
        self.resume()
        self._look_after(self._patience_s())
        try:
            yield deltas
        except BaseException:
            was_late = self.is_waiting and self._cancels > 0
            if self._stop() and was_late:
                raise self._late() from None
            raise
        finally:
            self._stop()
            # The reply is whole by now, or failed already: closing badly changes neither.
            with suppress(Exception):
                async with asyncio.timeout(_CLOSING_S):
                    await deltas.aclose()

    def resume(self) -> None:
        """It is the model's turn."""
        self._since = now = self._clock()
        self._deadline += now - self._paused
        task = asyncio.current_task(self._loop)
        if task is not self._task and task is not None:
            self._task = task
            self._before = task.cancelling()
        self.is_waiting = True

    def pause(self) -> None:
        """It is the turn of whoever reads."""
        self.is_waiting = False
        self._paused = self._clock()

    def _look_after(self, seconds: float) -> None:
        self._timer = self._loop.call_later(max(seconds, _OFTEN_S), self._look)

    def _look(self) -> None:
        # In the model's turn the task stands in the model's own wait: that is what is cancelled.
        patience_s = self._patience_s()
        if patience_s <= 0 and self.is_waiting and self._task is not None:
            self._cancels += 1
            self._task.cancel()
            patience_s = _AGAIN_S
        self._look_after(patience_s)

    def _patience_s(self) -> float:
        """Return how long the model may take from now on, or from when its turn comes."""
        if not self.is_waiting:
            return min(self._silence_s, self._deadline - self._paused)
        return min(self._since + self._silence_s, self._deadline) - self._clock()

    def _stop(self) -> bool:
        """Take back our own cancellations; return whether nobody else wants to cancel as well."""
        if self._timer is not None:
            self._timer.cancel()
        if self._task is None:
            return True
        for _ in range(self._cancels):
            self._task.uncancel()
        self._cancels = 0
        return self._task.cancelling() <= self._before

    def _late(self) -> ModelTimeout:
        if self.left_s <= 0:
            return ModelTimeout(
                f"{self._name} did not end within {self._total_s:g} s.",
                "Raise model.total_seconds, or ask for less.",
            )
        return ModelTimeout(
            f"{self._name} was silent for {self._silence_s:g} s.",
            "Raise model.read_seconds if it needs longer to think.",
        )
