"""Whose a folder is, and what is missed in it."""

import sqlite3
from pathlib import Path

import pytest

from sextant.errors import (
    NotAStore,
    StoreDamaged,
    StoreError,
)
from sextant.testing.samples import SCOPE
from tests.stores.sqlite.house import fill, lines, truth, use


def test_a_folder_or_database_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "thesis.txt").write_text("mine")
    with pytest.raises(NotAStore):
        use(tmp_path / "theirs", lines)
    assert [path.name for path in (tmp_path / "theirs").iterdir()] == ["thesis.txt"]
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError):
        use(tmp_path / "file", lines)

    use(tmp_path / "s", fill)
    path = truth(tmp_path / "s")
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    with pytest.raises(NotAStore):
        use(tmp_path / "s", lines)


def test_a_database_that_vanished_is_missed_not_replaced_by_an_empty_one(tmp_path: Path) -> None:
    use(tmp_path / "s", fill)
    use(tmp_path / "s", lambda store: store.rebuild(SCOPE))
    for path in truth(tmp_path / "s").parent.glob("truth.db*"):
        path.unlink()
    with pytest.raises(StoreDamaged, match="backup"):
        use(tmp_path / "s", lines)


def test_adopting_needs_a_store(tmp_path: Path) -> None:
    with pytest.raises(NotAStore, match="no store"):
        use(tmp_path / "s", lines, adopt=True)
    assert not (tmp_path / "s").exists()
