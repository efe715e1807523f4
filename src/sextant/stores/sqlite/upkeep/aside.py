"""Blocking work beside the event loop that is never left behind half done, whoever is cancelled."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Any, Protocol, TypeVar

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
        if entering.exception() is None:
            await _leave(run, manager, error)
        raise
    try:
        yield value
    except BaseException as error:
        await _leave(run, manager, error)
        raise
    await _leave(run, manager, None)


async def _leave(
    run: Run, manager: AbstractContextManager[Any], error: BaseException | None
) -> None:
    traceback = error.__traceback__ if error else None
    await _finished(run(manager.__exit__, type(error) if error else None, error, traceback))


async def _finished(work: Awaitable[T], hurry: Callable[[], None] = lambda: None) -> T:
    running = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        hurry()
        await asyncio.wait([running])
        raise
