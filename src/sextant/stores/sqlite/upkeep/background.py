"""Blocking work beside the event loop that is never left behind half done, whoever is cancelled."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Any, Protocol, TypeVar

from sextant.stores.sqlite.truth.schema import typed_errors

T = TypeVar("T")


class Run(Protocol):
    """Runs blocking work off the event loop."""

    def __call__(self, task: Callable[..., Any], *arguments: object) -> Awaitable[Any]:
        """Return what the task returns."""


async def to_its_end(run: Run, task: Callable[..., Any], *arguments: object) -> Any:
    """Run a task whose last argument tells it to stop, and wait for it even when cancelled."""
    stop = threading.Event()
    return await _finished(run(task, *arguments, stop), stop.set)


@asynccontextmanager
async def entered(run: Run, manager: AbstractContextManager[T]) -> AsyncIterator[T]:
    """Enter and leave a context off the event loop; who is cancelled meanwhile holds nothing."""
    entering = asyncio.ensure_future(run(manager.__enter__))
    try:
        value: T = await _finished(entering)
    except asyncio.CancelledError as error:
        if not entering.cancelled() and entering.exception() is None:
            await _leave(manager, error)
        raise
    try:
        yield value
    except BaseException as error:
        await _leave(manager, error)
        raise
    await _leave(manager, None)


async def _leave(manager: AbstractContextManager[Any], error: BaseException | None) -> None:
    """Leave even a store that is being closed, which runs nothing any more."""

    def leave() -> None:
        with typed_errors():
            manager.__exit__(type(error) if error else None, error, None)

    await _finished(asyncio.to_thread(leave))


async def _finished(work: Awaitable[T], hurry: Callable[[], None] = lambda: None) -> T:
    """Wait for work however often this is cancelled, and only then pass it on."""
    running = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not running.done():
        try:
            await asyncio.wait([running])
        except asyncio.CancelledError as error:
            cancelled = error
            hurry()
    if cancelled is None:
        return running.result()
    if not running.cancelled():
        running.exception()  # whatever it was, it is no longer asked for
    raise cancelled
