"""A run that is killed at any moment: the next one completes, and nobody can tell."""

from __future__ import annotations

import asyncio
import random
import shutil
from pathlib import Path

import pytest

from tests.ingest.folders import Tree, lay_out
from tests.ingest.killing import Act, killed_after, killed_at, moments, perform

SOURCES = ("docs", "wiki", "teams")
FILLER = "Nothing of note happens here, and it goes on for quite a while. "
BEFORE: dict[str, Tree] = {
    "docs": {
        "a.md": "# Service A\n\nService A depends on Harbor Queue.\n\n" + FILLER * 30,
        "queue.md": "# Harbor Queue\n\nHarbor Queue (HQ) is a queue owned by Team Y.\n",
        "long.md": "# Ledger API\n\nThe Ledger API calls HQ.\n\n" + FILLER * 400,
        "rows.jsonl": '{"title": "One", "text": "HQ is slow."}\n{"title": "Two", "text": "Up."}\n',
    },
    "wiki": {
        "notes.md": "the dock queue is down; service a calls the ledger api\n",
        "more.md": "Svc-A is used by the harbor queue. " + FILLER * 20,
    },
    "teams": {"y.md": "# Team Y\n\nTeam Y owns escalation for Service A and HQ.\n"},
}
AFTER: dict[str, Tree] = {
    "docs": {
        "a.md": "# Service A\n\nService A (Svc-A) is a service. It calls the Ledger API.\n",
        "dock.md": "# Dock Queue\n\nDock Queue replaces Harbor Queue.\n",
        "rows.jsonl": '{"title": "One", "text": "HQ is slow."}\n',
    },
    "wiki": BEFORE["wiki"],
    "teams": {"z.md": "# Team Y\n\nTeam Y is a team.\n\n" + FILLER * 40},
}
INGEST, SYNC = Act(SOURCES), Act(SOURCES, sync=True)
DELETE = Act(removed=("docs/queue.md", "teams/y.md", "docs/long.md", "docs/rows.jsonl#1"))
SITUATIONS: dict[str, tuple[bool, dict[str, Tree], Act]] = {
    "ingest": (False, BEFORE, INGEST),
    "update": (True, {name: {**BEFORE[name], **AFTER[name]} for name in SOURCES}, INGEST),
    "delete": (True, BEFORE, DELETE),
    "sync": (True, AFTER, SYNC),
}


class Scene:
    """A store and folders just before an act, which can be set up again and again."""

    def __init__(self, home: Path, situation: str) -> None:
        self._stage, self._home = home / "stage", home / "now"
        begun, trees, self.act = SITUATIONS[situation]
        self._stage.mkdir()
        if begun:
            self._lay(BEFORE)
            asyncio.run(perform(self._stage, INGEST))
        self._lay(trees)
        self.moments = moments(self.set_up(), self.act)
        self.clean = self.dump()

    def _lay(self, trees: dict[str, Tree]) -> None:
        for name, tree in trees.items():
            lay_out(self._stage / name, tree)

    def set_up(self) -> Path:
        shutil.rmtree(self._home, ignore_errors=True)
        return Path(shutil.copytree(self._stage, self._home))

    def dump(self) -> list[str]:
        return asyncio.run(perform(self._home, self.act))


@pytest.mark.parametrize("situation", SITUATIONS)
def test_after_a_kill_the_next_run_ends_as_if_there_had_been_none(
    tmp_path: Path, situation: str
) -> None:
    scene, rng = Scene(tmp_path, situation), random.Random(situation)
    for countdown in rng.sample(range(1, scene.moments + 1), 5):
        assert killed_at(scene.set_up(), scene.act, countdown)
        assert scene.dump() == scene.clean, f"killed at moment {countdown}"
    killed_after(scene.set_up(), scene.act, rng.randint(1, scene.moments // 2))
    assert scene.dump() == scene.clean


def test_one_kill_after_the_other_only_delays_the_end(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "sync")
    home, kills = scene.set_up(), 0
    for countdown in (scene.moments // 4, 5, scene.moments // 3, 9):
        kills += killed_at(home, scene.act, countdown)
    assert kills >= 2
    assert scene.dump() == scene.clean
