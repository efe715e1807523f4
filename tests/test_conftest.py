"""The tests pass however they are started, and their files come in the order that was asked for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.conftest import shuffle_files

_ROOT = Path(__file__).parent.parent
_CHILD = "import os, signal; print(signal.getsignal(signal.SIGINT), os.environ.get('FORCE_COLOR'))"
_TESTS = f"""
import subprocess, sys
subprocess.run([sys.executable, "-c", {_CHILD!r}], check=True)
import tests.conftest
subprocess.run([sys.executable, "-c", {_CHILD!r}], check=True)
"""


def test_children_heed_ctrl_c_and_have_no_colours_though_a_script_began_us_otherwise() -> None:
    shown = subprocess.run(
        [sys.executable, "-c", _TESTS],
        cwd=_ROOT,
        env={**os.environ, "FORCE_COLOR": "1"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    before, after = shown.splitlines()
    assert before == "1 1"
    assert "default_int_handler" in after
    assert after.endswith(" None")


def _order(seed: int) -> list[tuple[str, int]]:
    items: Any = [SimpleNamespace(path=Path(name), at=at) for name in "abcd" for at in range(2)]
    shuffle_files(items, seed)
    return [(item.path.name, item.at) for item in items]


def test_files_come_in_an_order_that_their_seed_gives_again_with_their_tests_in_theirs() -> None:
    orders = [_order(seed) for seed in range(9)]
    assert orders == [_order(seed) for seed in range(9)]
    assert len({str(order) for order in orders}) > 1
    for order in orders:
        assert [at for _, at in order] == [0, 1] * 4
        assert sorted({name for name, _ in order}) == ["a", "b", "c", "d"]
        assert all(order[at][0] == order[at + 1][0] for at in range(0, 8, 2))
