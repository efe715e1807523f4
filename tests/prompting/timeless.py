"""An event loop whose clock jumps to the next timer when nothing else is left to do: no sleeps."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Timeless(asyncio.SelectorEventLoop):
    """Tells the time that its timers want it to be. Knows no sockets but its own."""

    def __init__(self) -> None:
        self.moment = 1_000.0
        super().__init__(_Jumping(self))

    def time(self) -> float:
        return self.moment


class _Jumping(selectors.SelectSelector):
    def __init__(self, loop: Timeless) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:
            raise RuntimeError("Everybody waits for ever.")
        self._loop.moment += timeout
        return super().select(0)


def run(task: Coroutine[Any, Any, T]) -> T:
    """Run a task to its end, in no time."""
    with asyncio.Runner(loop_factory=Timeless) as runner:
        return runner.run(task)


def now() -> float:
    """Return what time it is in here."""
    return asyncio.get_running_loop().time()
