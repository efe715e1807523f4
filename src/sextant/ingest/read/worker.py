"""The other end of `isolate`: reads and shapes one item after the other until its input ends."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import io
import os
import signal
import sys
from typing import BinaryIO

from sextant.ingest.shaping.wire import answer_to, received_shaping

LENGTH = 8
SHAPING, ORDER = b"s", b"o"
"""What a frame from the parent holds: how documents are made from now on, or an item to read."""
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_SIGKILL = 9
_IDLE_S = 120
"""So long a worker waits for the next item: it holds some 40 MB, and starts in half a second."""
_OBJECTS = 50_000
"""What one item makes is let go with it, and hardly ever in circles."""


def main() -> None:
    """Serve orders from the standard input; only answers go to what was the standard output."""
    seconds, megabytes, parent = (int(text) for text in sys.argv[1:4])
    orders, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _die_with(parent)
    _limit_memory(megabytes << 20)
    gc.freeze()
    gc.set_threshold(_OBJECTS)
    _send(answers, b"")
    shaping = None
    while (frame := _receive(orders)) is not None:
        kind, data = frame
        if kind == SHAPING:
            shaping = received_shaping(data)
        elif shaping is not None:
            _limit_time(seconds)
            _send(answers, answer_to(data, shaping, megabytes))
            _wait_for(_IDLE_S)


def _receive(stream: BinaryIO) -> tuple[bytes, bytes] | None:
    kind, head = stream.read(1), stream.read(LENGTH)
    if len(head) < LENGTH:
        return None
    size = int.from_bytes(head)
    data = stream.read(size)
    return (kind, data) if len(data) == size else None


def _send(stream: io.BufferedWriter, data: bytes) -> None:
    stream.write(len(data).to_bytes(LENGTH))
    stream.write(data)
    stream.flush()


def _die_with(parent: int) -> None:
    """Ask to be killed when the parent dies, however it dies, and leave Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, _SIGKILL)
    if hasattr(os, "getppid") and os.getppid() != parent:
        sys.exit()


def _limit_memory(size: int) -> None:
    if sys.platform == "win32":
        return
    import resource

    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limit_time(seconds: int) -> None:
    """End this process by itself should nobody be left to do it."""
    if sys.platform == "win32":
        return
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime) + seconds + 1
    with contextlib.suppress(OSError, ValueError):
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))
    _wait_for(2 * seconds + 10)


def _wait_for(seconds: int) -> None:
    """Let the kernel end this process in so many seconds, unless it is told another time before."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, seconds)


if __name__ == "__main__":
    main()
