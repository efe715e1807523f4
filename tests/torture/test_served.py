"""A short round of each fault of a server; ``make torture`` has long ones."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.torture.served import ROUNDS, SHORT, ServedTorture

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel about processes")


@pytest.mark.parametrize("kind", ROUNDS)
def test_a_server_under_faults_keeps_its_word_and_leaves_nothing_behind(
    tmp_path: Path, kind: str
) -> None:
    problems: list[str] = []
    torture = ServedTorture(tmp_path, seed=20, tell=problems.append, effort=SHORT)
    torture.run_round(kind)
    assert problems == []
    assert torture.tally.acknowledged >= SHORT.facts
