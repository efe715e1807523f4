"""A server in a process of its own, which knows the sample and what somebody else knows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOG = "log"


@dataclass(frozen=True, slots=True)
class Serving:
    """A server under way. Its token is of whoever runs it, or of one tenant's administrator."""

    url: str
    token: str
    folder: Path
    auth: str
    pid: int

    @property
    def log(self) -> str:
        """What the server complained of so far."""
        return (self.folder / LOG).read_text()


@contextmanager
def serving(folder: Path, auth: str = "local") -> Iterator[Serving]:
    """Serve from a folder until the block ends."""
    with (folder / LOG).open("wb") as log:
        command = [sys.executable, "-m", "tests.fuzz.server", str(folder / "kept"), auth]
        # Other tests cover this code already; here it would only be slower.
        env = {name: value for name, value in os.environ.items() if "COVERAGE" not in name}
        process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=log)
    with process:
        try:
            line = process.stdout.readline() if process.stdout else b""
            assert line, (folder / LOG).read_text()
            yield Serving(**json.loads(line), folder=folder, auth=auth, pid=process.pid)
        finally:
            process.terminate()
