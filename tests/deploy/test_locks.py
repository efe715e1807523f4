"""Every lock has hashes, no index and tested versions; a user's has only what is needed."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.deploy import files

CORE = files.ROOT / "requirements.lock"
TESTED = files.ROOT / "tests/requirements.lock"
LOCKS = (
    CORE,
    TESTED,
    files.ROOT / "tests/models.lock",
    files.ROOT / "bench/requirements.lock",
    files.DEPLOY / "requirements.lock",
    files.DEPLOY / "build.lock",
)
MOST_FOR_A_USER = 60
"""Packages that `make demo` may install."""


def needed(requirements: list[str]) -> set[str]:
    """Return the names of the packages that are asked for."""
    return {re.split(r"[\[<>=; ]", one)[0].lower() for one in requirements}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda one: one.relative_to(files.ROOT).as_posix())
def test_a_lock_has_hashes_and_the_versions_that_are_tested(lock: Path) -> None:
    tested, own = files.pinned(TESTED), files.pinned(lock)
    assert [name for name, (_, hashes) in own.items() if not hashes] == []
    differing = {
        name: version
        for name, (version, _) in own.items()
        if name in tested and tested[name][0] != version
    }
    assert differing == {}
    assert "://" not in lock.read_text()


def test_what_a_user_installs_is_what_the_package_needs_and_no_more() -> None:
    project = tomllib.loads((files.ROOT / "pyproject.toml").read_text())
    core = files.pinned(CORE).keys()
    asked = needed(project["project"]["dependencies"])
    extras = project["project"]["optional-dependencies"].values()
    others = [*extras, *project["dependency-groups"].values()]
    assert asked <= core
    # What rich needs to show Markdown is what tests read the papers with.
    assert (set().union(*map(needed, others)) - asked) & core <= {"markdown-it-py"}
    assert len(core) <= MOST_FOR_A_USER
