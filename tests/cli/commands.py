"""The command line as a person uses it: in a process of its own, in a folder of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from typer.testing import CliRunner, Result

from sextant.cli import app

_PATIENCE_S = 60.0
SETTINGS = 'store = "sqlite:kept"\nembedder = "tiny:16"\n'


def environment(**more: str) -> dict[str, str]:
    """Return an environment in which no setting is set but these."""
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith("SEXTANT")
    }
    return inherited | {"COLUMNS": "200"} | more


def sextant(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder to its end."""
    return subprocess.run(
        [sys.executable, "-m", "sextant", *arguments],
        cwd=folder,
        env=environment(**more),
        capture_output=True,
        text=True,
        check=False,
    )


@contextmanager
def started(
    folder: Path,
    *arguments: str,
    patience_s: float = _PATIENCE_S,
    files: int | None = None,
    **more: str,
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command in a folder, to be listened to while it runs; it never outlives its time."""
    limited = ["sh", "-c", 'ulimit -n "$0" && exec "$@"', str(files)] if files else []
    child = subprocess.Popen(
        [*limited, sys.executable, "-m", "sextant", *arguments],
        cwd=folder,
        env=environment(**more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    watchdog = threading.Timer(patience_s, child.kill)
    watchdog.start()
    with child:
        try:
            yield child
        finally:
            watchdog.cancel()
            child.kill()


def hear(stream: IO[bytes] | None, pattern: str) -> str:
    """Listen until something is said, and return what was heard up to then."""
    heard = b""
    while stream and not re.search(pattern, heard.decode(errors="replace")):
        block = os.read(stream.fileno(), 65_536)
        assert block, f"{pattern} was never said, but {heard!r}"
        heard += block
    return heard.decode()


def told(*arguments: str) -> Any:
    """Run a command in this process and folder that goes well, and return the JSON it prints."""
    ended = asked(*arguments, "--json")
    assert ended.exit_code == 0, ended.output
    return json.loads(ended.stdout)


def asked(*arguments: str) -> Result:
    """Run a command in this process and in the folder that it stands in."""
    return CliRunner(env={"SEXTANT_STORE": None}).invoke(app, arguments)


def without_progress(said: str) -> set[str]:
    """Return what was said beside how far it is, which a slow machine says now and then."""
    progress = ("… ", "Findable now by words and names; ")
    return {line for line in said.splitlines() if not line.startswith(progress)}
