"""Processes to measure: started, asked for their CPU time and memory, and stopped by their id."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_PATIENCE_S = 60
_NS = 1e-6
_PROCESS_CLOCK = 2
"""The kernel's number of a process's CPU clock, beside the process; ended threads count, too."""


@dataclass(frozen=True, slots=True)
class Running:
    """A server under measurement."""

    url: str
    process: subprocess.Popen[str]

    @property
    def pid(self) -> int:
        """The id of its process."""
        return self.process.pid

    def tell(self, line: str) -> None:
        """Write a line to it, and wait until it writes one."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def cpu_ms(self) -> float:
        """Return the CPU time of all its threads so far, to the nanosecond."""
        return time.clock_gettime_ns((~self.pid << 3) | _PROCESS_CLOCK) * _NS

    def resident_mb(self) -> float:
        """Return how much memory it has now."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@contextmanager
def started(
    arguments: list[str], environment: Mapping[str, str] | None = None
) -> Iterator[Running]:
    """Start a module of Python that says its address on a line, and stop it in the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **(environment or {})},
    )
    try:
        assert process.stdout
        url = next(
            word.rstrip("/.,")
            for line in process.stdout
            for word in line.split()
            if word.startswith("http://127.0.0.1:")
        )
        yield Running(url, process)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
