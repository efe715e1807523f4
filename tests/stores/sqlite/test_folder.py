"""Whose a folder is, and what is missed in it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sextant.errors import (
    NotAStore,
    StoreDamaged,
    StoreError,
)
from sextant.query import Query
from sextant.stores.sqlite.tenant import tenant_folder
from sextant.testing.store_suite import samples
from sextant.testing.store_suite.samples import SCOPE
from sextant.types import Scope
from tests.stores.sqlite.house import LARGE, fill, lines, truth, use


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
    with pytest.raises(StoreDamaged, match="not made by Sextant"):
        use(tmp_path / "s", lines)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]


@pytest.mark.parametrize("segments", [False, True])
@pytest.mark.parametrize("empty", [False, True])
def test_a_database_that_vanished_is_missed_not_replaced_by_an_empty_one(
    tmp_path: Path, segments: bool, empty: bool
) -> None:
    use(tmp_path / "s", fill, LARGE)
    if segments:
        use(tmp_path / "s", lambda store: store.admin.rebuild(SCOPE))
    for path in truth(tmp_path / "s").parent.glob("truth.db*"):
        path.unlink()
    if empty:
        truth(tmp_path / "s").touch()
    for _ in range(2):
        with pytest.raises(StoreDamaged, match=r"acme.*backup"):
            use(tmp_path / "s", lines)
    with pytest.raises(StoreDamaged, match=r"acme.*backup"):
        use(tmp_path / "s", lambda store: store.admin.backup(tmp_path / "b.tar"))
    assert not (tmp_path / "b.tar").exists()
    assert use(tmp_path / "s", lambda store: store.admin.tenants()) == ["acme"]


def test_whoever_dies_before_the_first_transaction_leaves_nobody(tmp_path: Path) -> None:
    use(tmp_path / "s", fill)
    stillborn = tenant_folder(tmp_path / "s", "other")
    stillborn.mkdir()
    (stillborn / "truth.db").touch()
    assert use(tmp_path / "s", lambda store: store.admin.tenants()) == ["acme"]
    use(tmp_path / "s", lambda store: store.admin.backup(tmp_path / "b.tar"))
    use(tmp_path / "s", lambda store: store.truth.write(Scope("other"), [samples.runbook()]))
    assert use(tmp_path / "s", lambda store: store.admin.tenants()) == ["acme", "other"]


def test_a_damaged_tenant_is_named_and_leaves_the_others_alone(tmp_path: Path) -> None:
    use(tmp_path / "s", fill)
    use(tmp_path / "s", lambda store: store.truth.write(Scope("other"), [samples.runbook()]))
    truth(tmp_path / "s", "other").write_bytes(b"x" * 5_000)
    assert use(tmp_path / "s", lambda store: store.admin.tenants()) == ["acme", "other"]
    use(tmp_path / "s", lines)
    with pytest.raises(StoreDamaged, match=r"'other'.*move .* away"):
        use(tmp_path / "s", lambda store: store.truth.counts(Scope("other")))
    with pytest.raises(StoreDamaged, match="'other'"):
        use(tmp_path / "s", lambda store: store.admin.backup(tmp_path / "b.tar"))


def test_a_tenant_that_is_locked_is_not_left_out(tmp_path: Path) -> None:
    use(tmp_path / "s", fill)
    with closing(sqlite3.connect(truth(tmp_path / "s"), isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        assert use(tmp_path / "s", lambda store: store.admin.tenants()) == ["acme"]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE vectors SET vector = x'00'",
        "UPDATE chunks SET entities = x'000102'",
        "UPDATE documents SET tags = '5'",
        "DELETE FROM meta WHERE name = 'tenant'",
        "DELETE FROM meta WHERE name = 'analysis'",
        "DELETE FROM state",
    ],
)
def test_rows_that_are_not_as_they_were_written_are_called_damaged(
    tmp_path: Path, statement: str
) -> None:
    use(tmp_path / "s", fill, LARGE)
    with closing(sqlite3.connect(truth(tmp_path / "s"))) as connection, connection:
        connection.execute(statement)
    with pytest.raises(StoreDamaged, match="backup"):
        use(tmp_path / "s", lambda store: store.index.search(SCOPE, Query("pods")))


def test_a_definition_that_cannot_be_read_is_called_damaged(tmp_path: Path) -> None:
    use(tmp_path / "s", fill, LARGE)
    with closing(sqlite3.connect(truth(tmp_path / "s"))) as connection, connection:
        connection.execute("UPDATE definitions SET metadata = '{'")
    with pytest.raises(StoreDamaged, match="backup"):
        use(
            tmp_path / "s",
            lambda store: store.truth.definitions(SCOPE, unless={"a": frozenset("b")}),
        )


def test_adopting_needs_a_store(tmp_path: Path) -> None:
    with pytest.raises(NotAStore, match="no store"):
        use(tmp_path / "s", lines, adopt=True)
    assert not (tmp_path / "s").exists()
