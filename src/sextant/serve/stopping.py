"""Somebody wants this process to end: Ctrl+C or a polite kill. Knows nothing of what runs here."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

AtOnce = Callable[[], None]


def do_nothing() -> None:
    """Leave the end to whoever waits for it."""


@contextmanager
def stop_wanted(at_once: AtOnce = do_nothing) -> Iterator[asyncio.Event]:
    """Yield what is set once somebody wants an end.

    What is to be done at once does not wait for the loop, which may be busy.
    """
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    both = (signal.SIGINT, signal.SIGTERM)

    def stop(*_: object) -> None:
        at_once()
        loop.call_soon_threadsafe(stopped.set)

    before = [signal.signal(one, stop) for one in both]
    try:
        yield stopped
    finally:
        for one, handler in zip(both, before, strict=True):
            signal.signal(one, handler)
