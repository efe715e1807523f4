"""Runs one measure in a process of its own, so that memory and caches belong to nothing else.

A peer may run under another interpreter, which then needs that peer and nothing of ours.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
_MEASURES = {
    "take_in": "bench.ingesting.whole",
    "stages": "bench.ingesting.whole",
    "embedded": "bench.ingesting.whole",
    "grow": "bench.ingesting.growing",
    "add_one": "bench.ingesting.growing",
    "peer": "bench.ingesting.peers",
}


_ALONE = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "HAYSTACK_TELEMETRY_ENABLED": "false",
}


def call(name: str, /, python: str = sys.executable, **arguments: object) -> Any:
    """Run a measure and return what it returns."""
    command = [python, "-m", "bench.ingesting.apart", name, json.dumps(arguments)]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, check=True, cwd=ROOT, env={**os.environ, **_ALONE}
    )
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    measure = getattr(importlib.import_module(_MEASURES[sys.argv[1]]), sys.argv[1])
    print(json.dumps(asyncio.run(measure(**json.loads(sys.argv[2])))))
