"""Runs commands in one shell, hears what each prints, and stops what they left running."""

from __future__ import annotations

import os
import re
import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_PATIENCE_S = 900.0
_MARK = "@@ end of command"
_READY = (
    "command curl --silent --retry 60 --retry-connrefused http://127.0.0.1:{port}/ready >/dev/null"
)
"""Waits until a server answers: a reader of the page takes that long, too."""
_BEGIN = """
curl() { command curl --fail-with-body --silent --show-error "$@"; }
started=
trap '[ -z "$started" ] || { kill $started 2>/dev/null; wait $started; }' EXIT
"""
"""An answer that is an error fails; what was left running is stopped in the end, by its id."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a command."""

    status: int
    printed: tuple[str, ...]


def run_in_order(
    lines: Sequence[str], folder: Path, environment: Mapping[str, str], port: int
) -> tuple[list[Ran], str]:
    """Return what became of each command, and all that was said beside what they print."""
    script = _BEGIN + "\n".join(_step(line, port) for line in lines)
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**environment},
        capture_output=True,
        text=True,
        timeout=_PATIENCE_S,
        check=False,
    )
    *printed, _ = done.stdout.split(f"\n{_MARK} ")
    statuses = done.stdout.split(f"\n{_MARK} ")[1:]
    return [_ran(*one) for one in zip(printed, statuses, strict=True)], done.stderr


def _step(line: str, port: int) -> str:
    wait = f"started=$!\n{_READY.format(port=port)}\n" if _is_left_running(line) else ""
    return f'{line}\n{wait}printf "\\n{_MARK} %d\\n" $?'


def _is_left_running(line: str) -> bool:
    return line.partition(" #")[0].rstrip().endswith("&")


def _ran(printed: str, status: str) -> Ran:
    """Read what stands before a mark, behind the status of the command before, and its status."""
    own = re.sub(r"\A\d+\n", "", printed)
    return Ran(int(status.split(maxsplit=1)[0]), tuple(own.splitlines()))


def free_port() -> int:
    """Return a port of this machine that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def bare_environment(**more: str) -> dict[str, str]:
    """Return an environment without settings and without keys."""
    foreign = ("SEXTANT", "OPENAI", "AZURE", "ANTHROPIC", "GEMINI", "GOOGLE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    return kept | more
