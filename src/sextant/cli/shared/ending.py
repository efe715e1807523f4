"""An end that comes, whatever this process is still at."""

from __future__ import annotations

import os
import signal
import sys
import threading

END_S = 9.0
"""Who stops a service waits for 10 s before it kills: `docker stop` does, others for longer."""
_LAST_S = 0.5


def end_within(seconds: float = END_S) -> None:
    """Let this process be gone after so many seconds; what was acknowledged is kept.

    A thread says so and exits. Should that thread get no turn, the kernel ends the process.
    """
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds + _LAST_S)
    timer = threading.Timer(seconds, _end, (seconds,))
    timer.daemon = True
    timer.start()


def _end(seconds: float) -> None:
    sys.stderr.write(
        f"Something did not end within {seconds:g} s; what was acknowledged is kept.\n"
    )
    sys.stderr.flush()
    os._exit(1)
