"""What is said where files or the output cannot be used: which of them, and why."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands import SETTINGS, asked, environment, sextant, told
from tests.ingest.folders import lay_out
from tests.rights import without_privileges


@pytest.fixture
def shared(open_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that all may look into, with a store that is its owner's alone, to stand in."""
    (open_path / "sextant.toml").write_text(SETTINGS)
    lay_out(open_path / "docs", {"a.md": "# Service A\n\nService A depends on Harbor Queue.\n"})
    monkeypatch.chdir(open_path)
    told("ingest", "docs")
    told("status")
    (open_path / "kept").chmod(0o700)
    yield open_path
    (open_path / "kept").chmod(0o755)


@pytest.mark.parametrize("command", [("status",), ("search", "x"), ("documents", "list")])
def test_a_store_that_may_not_be_read_is_said_to_be_so(
    shared: Path, command: tuple[str, ...]
) -> None:
    if os.geteuid() != 0:
        (shared / "kept").chmod(0)
    with without_privileges():
        shown = asked(*command)
    assert shown.exit_code == 1
    assert "The store's files cannot be used: Permission denied." in shown.stderr


def test_a_file_that_cannot_be_looked_at_is_not_called_the_output(tmp_path: Path) -> None:
    shown = sextant(tmp_path, "config", SEXTANT_CONFIG="x" * 300)
    assert shown.returncode == 1
    assert "The output" not in shown.stderr
    assert "x" * 300 in "".join(shown.stderr.split())


def test_a_full_disk_behind_the_output_is_told_as_that(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "sextant", "config"],
            cwd=tmp_path,
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ended.returncode == 1
    assert ended.stderr == "error: The output cannot be written: No space left on device.\n"


def test_whoever_stops_reading_ends_it_without_a_word(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [sys.executable, "-m", "sextant", "config"],
        cwd=tmp_path,
        env=environment(),
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (1, "")
