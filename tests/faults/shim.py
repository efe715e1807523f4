"""Builds the failing disk, and runs a worker on it. Knows no store."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

_SOURCE = Path(__file__).with_name("shim.c")
_ROOT = Path(__file__).parents[2]
_TIME_LIMIT_S = 120


@dataclass(frozen=True, slots=True)
class Disk:
    """How the disk fails: every so many calls of these kinds (w, s, t) on files so named."""

    every: int
    error: int = errno.EIO
    calls: str = "wst"
    named: str = ""


def build(folder: Path) -> Path:
    """Compile the library; without a compiler there is nothing to test with."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("missing: a C compiler (cc or gcc), to make a disk that fails")
    library = folder / "shim.so"
    flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([compiler, *flags, "-o", library, _SOURCE, "-ldl"], check=True)
    return library


def fail_every(calls: int) -> None:
    """Let the disk under this process begin to fail; 0 lets it heal."""
    ctypes.CDLL(None).faults_every(ctypes.c_long(calls))


def injected() -> int:
    """Return how many calls failed in this process."""
    count = ctypes.CDLL(None).faults_injected
    count.restype = ctypes.c_long
    return int(count())


def run_worker(
    *arguments: object,
    library: Path | None = None,
    disk: Disk | None = None,
    below: Path | None = None,
) -> list[dict[str, Any]]:
    """Run a worker to its end, which comes in time and without complaint; return its lines."""
    environment = dict(os.environ)
    if library and disk and below:
        environment |= {
            "LD_PRELOAD": str(library),
            "FAULTS_BELOW": str(below.resolve()),
            "FAULTS_NAMED": disk.named,
            "FAULTS_CALLS": disk.calls,
            "FAULTS_ERRNO": str(disk.error),
        }
    command = [sys.executable, "-m", "tests.faults.worker", *map(str, arguments)]
    done = subprocess.run(
        command, cwd=_ROOT, env=environment, capture_output=True, text=True, timeout=_TIME_LIMIT_S
    )
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]
