"""What something cost: CPU time of the process, its threads and the children that have ended."""

from __future__ import annotations

import resource
import time
from types import TracebackType
from typing import Self


def cpu_seconds() -> float:
    """Return user and system time so far."""
    spent = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in spent)


class Cost:
    """Counts from where it is entered to where it is left, less what was said to be apart."""

    def __init__(self) -> None:
        self.cpu_s = self.wall_s = self.apart_s = 0.0

    def __enter__(self) -> Self:
        self._cpu, self._wall = cpu_seconds(), time.perf_counter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.cpu_s = cpu_seconds() - self._cpu - self.apart_s
        self.wall_s = time.perf_counter() - self._wall
