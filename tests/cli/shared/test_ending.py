"""An end that comes, whatever a process is still at."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from sextant.cli.shared.ending import END_S

AT_WORK = "while True: pass"
DEAF = "import re; re.match('(a|a)*b', 'a' * 64)"
"""Holds on to what threads of Python need, for longer than anybody waits."""


def _end_of(work: str) -> subprocess.CompletedProcess[str]:
    code = f"from sextant.cli.shared.ending import end_within\nend_within(0.2)\n{work}"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_a_process_that_goes_on_says_so_and_ends() -> None:
    ended = _end_of(AT_WORK)
    assert ended.returncode == 1
    assert "what was acknowledged is kept" in ended.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there is no timer of the kernel")
def test_a_process_that_hears_nothing_is_ended_by_the_kernel() -> None:
    assert _end_of(DEAF).returncode in (1, -signal.SIGALRM)


def test_a_process_that_is_through_ends_as_ever() -> None:
    assert _end_of("pass").returncode == 0


def test_the_end_comes_before_who_stops_a_service_kills_it() -> None:
    assert END_S < 10
