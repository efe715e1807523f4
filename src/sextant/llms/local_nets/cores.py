"""How many cores a process may keep busy. Knows no net."""

from __future__ import annotations

import os
from pathlib import Path

_MOST = 8
"""A guest on a large machine leaves cores to others. A second one makes `ingest` 1.46 times as fast
(k8s-docs, bench/README.md); more than two were not measured, and can be asked for by name."""

_GROUP = Path("/sys/fs/cgroup")


def usable_cores(group: Path = _GROUP) -> int:
    """Return those that it may run on, or fewer where its container has less time than that."""
    return max(1, min(_allowed(), _share(group), _MOST))


def _allowed() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _share(group: Path) -> int:
    """Return how many cores' time a container has, as Linux tells it."""
    try:
        time, period = (group / "cpu.max").read_text().split()
        return round(int(time) / int(period))
    except (OSError, ValueError, ZeroDivisionError):  # no container, or one without a bound
        return _MOST
