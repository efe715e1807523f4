"""A container's bound counts, and what cannot be read is no bound."""

from __future__ import annotations

from pathlib import Path

import pytest

from sextant.llms.local_nets.cores import usable_cores

FREE = usable_cores(Path("nowhere"))


@pytest.mark.parametrize(
    ("told", "cores"),
    [
        ("100000 100000\n", 1),
        ("50000 100000\n", 1),
        ("6400000 100000\n", FREE),
        ("max 100000\n", FREE),
        ("1 0\n", FREE),
        ("strange\n", FREE),
        ("", FREE),
    ],
)
def test_a_container_has_as_many_cores_as_its_time_makes(
    tmp_path: Path, told: str, cores: int
) -> None:
    (tmp_path / "cpu.max").write_text(told)
    assert usable_cores(tmp_path) == cores


def test_there_is_always_one() -> None:
    assert usable_cores() >= 1
