"""Files that somebody else may not touch, also where the tests run as root."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def without_privileges() -> Iterator[None]:
    """Be nobody for a while: permissions mean nothing to root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_path(tmp_path: Path) -> Path:
    """A folder that anybody can reach."""
    own = [
        one
        for one in tmp_path.parents
        if "pytest-" in one.name or one.parent.name.startswith("pytest-")
    ]
    for folder in (tmp_path, *own):
        folder.chmod(0o755)
    return tmp_path
