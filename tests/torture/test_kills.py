from pathlib import Path

from tests.torture.torture import Torture


def test_writers_that_are_killed_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    problems: list[str] = []
    tally = Torture(tmp_path, seed=20, tell=problems.append).run(lambda tally: tally.kills >= 36)
    assert problems == []
    assert (tally.lost, tally.disagreements) == (0, 0)
    assert tally.acknowledged > 100
