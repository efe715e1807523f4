"""Servers of Node to measure: installed from their lock, started on a port, stopped by their id."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bench.serving.processes import Running

_PATIENCE_S = 60
_QUIET = {"COPILOTKIT_TELEMETRY_DISABLED": "true", "DO_NOT_TRACK": "1"}


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as own:
        own.bind(("127.0.0.1", 0))
        port: int = own.getsockname()[1]
        return port


def installed(source: Path, target: Path) -> Path:
    """Return a folder with the packages of a lock; they are fetched if they are not there."""
    if not (target / "node_modules").is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True, copy_function=shutil.copyfile)
        # The runtime's own packages disagree about their peers.
        command = ["npm", "ci", "--legacy-peer-deps", "--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run(command, cwd=target, check=True)
    return target


def placed(script: Path, folder: Path) -> str:
    """Copy a script to where the packages are that it imports, and return its name."""
    shutil.copyfile(script, folder / script.name)
    return script.name


@contextmanager
def node_started(
    command: list[str], port: int, folder: Path, environment: Mapping[str, str] | None = None
) -> Iterator[Running]:
    """Start a script that says a line when it listens, and stop it in the end."""
    process = subprocess.Popen(
        ["node", *command],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **_QUIET, **(environment or {})},
    )
    try:
        assert process.stdout
        assert process.stdout.readline(), f"{command[0]} did not start"
        yield Running(f"http://127.0.0.1:{port}", process)
    finally:
        process.terminate()
        process.wait(_PATIENCE_S)
