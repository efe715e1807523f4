"""Runs one measure in a process of its own: memory and start-up then belong to nothing else."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from bench import corpus

ROOT = Path(__file__).resolve().parent.parent
_TASKS = {
    "answer": "bench.reference",
    "ingest": "bench.growth",
    "add": "bench.growth",
    "write_on": "bench.growth",
    "legs": "bench.reads",
    "bare": "bench.bare",
    "agreement": "bench.reads",
    "opened": "bench.reads",
    "resident": "bench.reads",
    "peer": "bench.peers",
}


def call(name: str, /, **arguments: object) -> Any:
    """Run a task and return what it returns."""
    done = subprocess.run(_command(name, arguments), stdout=subprocess.PIPE, check=True, **_PLACE)
    return json.loads(done.stdout.splitlines()[-1])


def kill_while_writing(folder: str, round_number: int) -> str:
    """Let a process write, kill it in the middle, and return its last durable document."""
    acks = random.Random(round_number).randint(30, 120)
    arguments = {"folder": folder, "first": corpus.FRESH + 10_000 * (1 + round_number)}
    last = b""
    with subprocess.Popen(
        _command("write_on", arguments), stdout=subprocess.PIPE, **_PLACE
    ) as writer:
        assert writer.stdout is not None
        for _ in range(acks):
            last = writer.stdout.readline() or last
        writer.kill()
        last = (writer.stdout.read().splitlines() or [last])[-1]
    return corpus.document_id(int(last))


def _command(name: str, arguments: dict[str, Any]) -> list[str]:
    return [sys.executable, "-m", "bench.task", name, json.dumps(arguments)]


_PLACE: dict[str, Any] = {"cwd": ROOT, "env": {**os.environ, "OPENBLAS_NUM_THREADS": "1"}}


def timed_open(folder: str, document: str = "") -> Any:
    """Open a store in a fresh process."""
    return call("opened", folder=folder, started=time.time(), document=document)


if __name__ == "__main__":
    task = getattr(importlib.import_module(_TASKS[sys.argv[1]]), sys.argv[1])
    print(json.dumps(asyncio.run(task(**json.loads(sys.argv[2])))))
