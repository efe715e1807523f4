"""Writers in turns: those of a tenant one after the other, those of others beside them."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sextant.errors import StoreBusy, StoreClosed

T = TypeVar("T")
_MOST = 32
"""Tenants that are written to at the same moment."""


@dataclass(slots=True)
class _Wish:
    """A task, and when it was asked for."""

    task: Callable[[float], Any]
    done: Future[Any] = field(default_factory=Future)
    asked: float = field(default_factory=time.monotonic)


class Turns:
    """Threads that write; a tenant has one while something of it is to be written."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_MOST, thread_name_prefix="sextant-write")
        self._wishes: dict[str, deque[_Wish]] = {}
        self._giving = threading.Lock()

    async def run(self, tenant: str, task: Callable[[float], T]) -> T:
        """Run a task after those of its tenant before it; it is told since when it has waited.

        That is not since it was asked for if others of its tenant came through meanwhile: those
        who wait together for somebody else give up together, but nobody is late by our own work.
        """
        wish = _Wish(task)
        with self._giving:
            if tenant not in self._wishes:
                try:
                    self._pool.submit(self._fulfil, tenant)
                except RuntimeError:
                    raise StoreClosed("The store is closed.", "Open it again.") from None
            self._wishes.setdefault(tenant, deque()).append(wish)
        result: T = await asyncio.wrap_future(wish.done)
        return result

    def close(self) -> None:
        """Let the threads finish what they were given, and wait for them."""
        self._pool.shutdown()

    def _fulfil(self, tenant: str) -> None:
        came_through = 0.0
        while wish := self._next(tenant):
            if not wish.done.set_running_or_notify_cancel():
                continue
            try:
                result = wish.task(max(wish.asked, came_through))
            except StoreBusy as error:
                wish.done.set_exception(error)
                continue
            except BaseException as error:  # whoever asked for it gets it
                wish.done.set_exception(error)
            else:
                wish.done.set_result(result)
            came_through = time.monotonic()

    def _next(self, tenant: str) -> _Wish | None:
        with self._giving:
            wishes = self._wishes[tenant]
            if not wishes:
                del self._wishes[tenant]
                return None
            return wishes.popleft()
