"""A server in a process of its own, which ends with its standard input: with the test, or with us.

It says where it is in its first line.
"""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

_PATIENCE_S = 20


@contextmanager
def running(command: Sequence[str], folder: Path | None = None) -> Iterator[str]:
    """Start a server, yield its address, and stop it whatever happens."""
    process = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin
    assert process.stdout
    try:
        with process.stdin, process.stdout:
            address = process.stdout.readline().strip()
            assert "://127.0.0.1:" in address, f"{command[0]} did not start"
            yield address
        process.wait(_PATIENCE_S)
    finally:
        process.kill()
        process.wait()
