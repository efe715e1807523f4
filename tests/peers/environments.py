"""Peers in Python that need other packages than we do, each by the environment of its folder."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.peers.fixtures import HERE
from tests.peers.running import running


@contextmanager
def running_apart(folder: str, script: str, packages: str) -> Iterator[str]:
    """Start a server of a folder, and yield its address; skip where there is no environment."""
    python = HERE / folder / ".venv" / "bin" / "python"
    if not python.exists():
        pytest.skip(f"missing: PyPI {packages} in an environment of its own; make test makes it")
    with running([str(python), script], HERE / folder) as url:
        yield url
