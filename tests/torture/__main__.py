"""Torture a store and a server for a while: ``python -m tests.torture --seconds 60``.

Half of the time writers are killed, then a server is: while it reads, by cancels, and with few
descriptors. Ends by itself with what was lost; a folder in which something was is kept. The same
seed plans the same faults.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tests.torture.served import ServedTally, ServedTorture
from tests.torture.torture import Tally, Torture

_TELL_EVERY_S = 5.0
AnyTally = TypeVar("AnyTally", Tally, ServedTally)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to go on")
    parser.add_argument("--seed", type=int, default=1, help="the same seed plans the same")
    parser.add_argument("--only", choices=["store", "server"], help="what to torture")
    return parser.parse_args()


def until(seconds: float) -> Callable[[AnyTally], bool]:
    """Return whether the time is over, and tell now and then how far it is."""
    began = told = time.monotonic()

    def enough(tally: AnyTally) -> bool:
        nonlocal told
        now = time.monotonic()
        if now - told > _TELL_EVERY_S:
            told = now
            _say(f"{told - began:.0f} s: {tally}")
        return now - began >= seconds

    return enough


def main() -> int:
    """Torture until the time is over; a server has a round of its own to finish then."""
    wanted = _arguments()
    seconds = wanted.seconds if wanted.only else wanted.seconds / 2
    workplace = Path(tempfile.mkdtemp(prefix="sextant-torture-"))
    store = Torture(workplace, wanted.seed, _say)
    server = ServedTorture(workplace, wanted.seed, _say)
    try:
        if wanted.only != "server":
            _say(str(store.run(until(seconds))))
            _say(f"Longest recovery: {store.tally.recovery_cpu_s * 1000:.0f} ms of CPU.")
        if wanted.only != "store":
            _say(str(server.run(until(seconds))))
    finally:
        wrong = store.tally.lost + store.tally.disagreements + server.tally.complaints
        if wrong:
            _say(f"What is left lies in {workplace}.")
        else:
            shutil.rmtree(workplace)
    return int(bool(wrong))


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
