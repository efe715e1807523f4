"""Reading clocks and memory: CPU time of the whole process, so that no thread's work is hidden."""

from __future__ import annotations

import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
_BATCH = 20
_WARM_UP = 10
_ENOUGH_MS = 30_000

Figures = dict[str, Any]


async def time_each(ask: Callable[[T], Awaitable[object]], items: Sequence[T]) -> Figures:
    """Return CPU ms for one item: the median of batches, and the mean. Slow ones get fewer."""
    for item in items[:_WARM_UP]:
        await ask(item)
    batches: list[float] = []
    for start in range(0, len(items), _BATCH):
        batch = items[start : start + _BATCH]
        before = time.process_time()
        for item in batch:
            await ask(item)
        batches.append((time.process_time() - before) / len(batch) * 1e3)
        if sum(batches) * _BATCH > _ENOUGH_MS:
            break
    return {"median": statistics.median(batches), "mean": statistics.fmean(batches)}


async def time_each_call(ask: Callable[[T], object], items: Sequence[T]) -> Figures:
    """The same for a plain function."""

    async def awaited(item: T) -> object:
        return ask(item)

    return await time_each(awaited, items)


class Meter:
    """Adds up the process's CPU time, less what making the data took in the calling thread."""

    def __init__(self) -> None:
        self._start = time.process_time()
        self._apart = 0.0

    def apart(self, make: Callable[[], T]) -> T:
        """Run something whose time does not count."""
        before = time.thread_time()
        made = make()
        self._apart += time.thread_time() - before
        return made

    def seconds(self) -> float:
        """Return what has been used so far."""
        return time.process_time() - self._start - self._apart


def memory() -> dict[str, float]:
    """Return this process's memory in MB, as the kernel counts it."""
    wanted = {"VmRSS", "VmHWM", "RssAnon", "RssFile"}
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    pairs = (line.split(":", 1) for line in lines)
    return {name: int(value.split()[0]) / 1024 for name, value in pairs if name in wanted}


def folder_bytes(folder: Path, pattern: str) -> int:
    """Return how much the matching files hold."""
    return sum(path.stat().st_size for path in folder.rglob(pattern) if path.is_file())
