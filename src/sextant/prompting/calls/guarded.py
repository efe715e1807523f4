"""A model that cannot hang, run away, be overrun or tell a key. Knows the port, no provider.

A call waits for its turn, is tried again while nothing was said yet and time is left, and ends
with Ended or with one of our errors, whatever the adapter does.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import count
from time import monotonic
from typing import NoReturn

from sextant.errors import BrokenStream, ModelError, ModelTimeout, ModelUnreachable, SextantError
from sextant.ports import ChatModel
from sextant.prompting.calls.backoff import pause_before
from sextant.prompting.calls.breaker import Breaker
from sextant.prompting.calls.runaway import Runaway
from sextant.prompting.calls.timeouts import Watch
from sextant.prompting.secrets.redact import redacted
from sextant.settings import ModelSettings
from sextant.types import Delta, Ended, ModelIdentity, Prompt

_SHOWN = 500
_OFTEN = 50
"""Pieces after which a reply is looked at as a whole; looking at each would cost too much."""


def guarded(
    model: ChatModel, settings: ModelSettings, clock: Callable[[], float] = monotonic
) -> ChatModel:
    """Bound a model's time, tries, length and simultaneous calls as the settings say."""
    return _Guarded(model, settings, clock)


class _Guarded:
    def __init__(
        self, model: ChatModel, settings: ModelSettings, clock: Callable[[], float]
    ) -> None:
        self._model, self._settings, self._clock = model, settings, clock
        self._name = str(model.identity)
        self._turns = asyncio.Semaphore(settings.concurrency)
        self._breaker = Breaker(self._name)

    @property
    def identity(self) -> ModelIdentity:
        """Who replies."""
        return self._model.identity

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """Reply in pieces, the last of which is Ended, or raise within the time that is set."""
        limits = self._settings
        watch = Watch(self._name, limits.read_seconds, limits.total_seconds, self._clock)
        async with self._turn(watch):
            for retries in count():
                self._breaker.enter(self._clock())
                unread: list[Delta] = []
                is_begun = False
                try:
                    async with watch.over(self._model.stream(prompt)) as deltas:
                        runaway = Runaway(self._name, limits.characters)
                        async for delta in deltas:
                            watch.pause()
                            if isinstance(delta, Ended):
                                self._breaker.answered()
                                yield replace(delta, retries=retries)
                                return
                            unread.append(delta)
                            if len(unread) >= _OFTEN:
                                runaway.read(unread)
                                unread.clear()
                            is_begun = True
                            yield delta
                            watch.resume()
                        self._cut_short()
                except Exception as error:
                    if not watch.is_waiting:
                        raise
                    wrong = self._ours(error)
                    pause_s = self._pause_after(wrong, retries, watch)
                    if is_begun or pause_s is None:
                        raise _tried(wrong, retries) from None
                await asyncio.sleep(pause_s)

    def _cut_short(self) -> NoReturn:
        raise BrokenStream(f"The reply of {self._name} stopped before its end.", "Try again.")

    @asynccontextmanager
    async def _turn(self, watch: Watch) -> AsyncIterator[None]:
        """Wait until few enough calls are under way; whoever came first goes first."""
        try:
            async with asyncio.timeout(watch.left_s):
                await self._turns.acquire()
        except TimeoutError:
            raise ModelTimeout(
                f"{self._name} had no time for this call:"
                f" {self._settings.concurrency} others were under way all along.",
                "Ask less at once, or raise model.concurrency.",
            ) from None
        try:
            yield
        finally:
            self._turns.release()

    def _ours(self, error: Exception) -> SextantError:
        """Return an error of our tree that tells no key; an adapter may raise anything."""
        if isinstance(error, SextantError):
            error.message, error.hint = redacted(error.message), redacted(error.hint)
            error.args = (error.message, error.hint)
            return error
        said = redacted(f"{type(error).__name__}: {error}")[:_SHOWN]
        wrong = ModelError(f"{self._name} cannot be used: {said}", "This is a flaw of its adapter.")
        return wrong.with_traceback(error.__traceback__)

    def _pause_after(self, error: SextantError, retries: int, watch: Watch) -> float | None:
        """Count a failure, and return how long to wait for another try, if there is to be one."""
        if not isinstance(error, ModelUnreachable):
            self._breaker.answered()
            return None
        self._breaker.failed(self._clock())
        pause_s = pause_before(retries, error)
        is_worth_it = retries < self._settings.retries and not self._breaker.is_open
        return pause_s if is_worth_it and pause_s < watch.left_s else None


def _tried(error: SextantError, retries: int) -> SextantError:
    if isinstance(error, ModelError):
        error.retries = retries
    return error
