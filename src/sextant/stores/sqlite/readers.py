"""Threads that read for event loops. Handing over takes half of what an executor takes.

They end with the process without being waited for, so nothing that writes is done here.
"""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TypeVar

from sextant.errors import StoreClosed

T = TypeVar("T")
_Task = tuple[asyncio.AbstractEventLoop, "asyncio.Future[Any]", Callable[[], Any]]


class Threads:
    """Up to a number of threads, each started when all others have something to do."""

    def __init__(self, most: int, name: str) -> None:
        self._most, self._name = most, name
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._busy, self._closed = 0, False
        self._giving = threading.Lock()
        weakref.finalize(self, _dismiss, self._tasks, self._threads).atexit = False

    async def run(self, task: Callable[[], T]) -> T:
        """Run a task in one of the threads, and return what it returns."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        self._give((loop, done, task))
        try:
            return await done
        finally:
            with self._giving:
                self._busy -= 1

    def close(self) -> None:
        """Let the threads finish what they were given, and wait for them."""
        with self._giving:
            self._closed = True
        _dismiss(self._tasks, self._threads)
        for thread in self._threads:
            thread.join()

    def _give(self, task: _Task) -> None:
        with self._giving:
            if self._closed:
                raise StoreClosed("The store is closed.", "Open it again.")
            if len(self._threads) < min(self._busy + 1, self._most):
                name = f"{self._name}-{len(self._threads)}"
                thread = threading.Thread(target=_work, args=(self._tasks,), name=name, daemon=True)
                thread.start()
                self._threads.append(thread)
            self._tasks.put(task)
            self._busy += 1


def _dismiss(tasks: SimpleQueue[_Task | None], threads: list[threading.Thread]) -> None:
    for _ in threads:
        tasks.put(None)


def _work(tasks: SimpleQueue[_Task | None]) -> None:
    while given := tasks.get():
        loop, done, task = given
        if done.cancelled():
            continue
        result, error = None, None
        try:
            result = task()
        except BaseException as raised:  # whoever asked for it gets it
            error = raised
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_settle, done, result, error)
        del given, loop, done, task, result, error


def _settle(done: asyncio.Future[Any], result: object, error: BaseException | None) -> None:
    if done.done():
        return
    if error is None:
        done.set_result(result)
    else:
        done.set_exception(error)
