"""The other end of `isolate`: reads one item after the other until its input ends."""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import pickle
import signal
import sys
from typing import BinaryIO

from sextant.errors import BrokenFile, SextantError, TooMuch
from sextant.ingest.read.table import read

LENGTH = 8
_DIE_WITH_PARENT = 1
_SIGKILL = 9


def main() -> None:
    """Serve jobs from the standard input; only answers go to what was the standard output."""
    seconds, memory, parent = (int(text) for text in sys.argv[1:4])
    jobs, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _die_with(parent)
    _limit_memory(memory)
    while (job := _receive(jobs)) is not None:
        _limit_time(seconds)
        answer = _answer(job)
        _send(answers, answer)


def _answer(job: bytes) -> bytes:
    """Return what was read, or the error that says why not."""
    try:
        path, data, media_type, modified = pickle.loads(job)  # noqa: S301 - our parent wrote it
        return pickle.dumps(read(path, data, media_type, modified))
    except MemoryError:
        error: SextantError = TooMuch("Reading it takes too much memory.", "Split it.")
    except SextantError as raised:
        error = raised
    except Exception as raised:
        error = BrokenFile(f"It cannot be read: {type(raised).__name__}.", "Save it again.")
    error.__traceback__ = error.__cause__ = None
    return pickle.dumps(error)


def _receive(stream: BinaryIO) -> bytes | None:
    head = stream.read(LENGTH)
    if len(head) < LENGTH:
        return None
    size = int.from_bytes(head)
    data = stream.read(size)
    return data if len(data) == size else None


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
    signal.setitimer(signal.ITIMER_REAL, 2 * seconds + 10)


if __name__ == "__main__":
    main()
