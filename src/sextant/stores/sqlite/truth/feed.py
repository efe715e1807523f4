"""What changed in the truth after a commit, for whoever keeps an index of it elsewhere."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterator

from sextant.stores.sqlite.truth.schema import state
from sextant.types import Changed

HISTORY = "history"
"""What is kept of a truth so that it is told from one that was restored from its backup."""


def changed_since(connection: sqlite3.Connection, commit: int) -> Changed:
    """Return which documents were written and which were removed after a commit."""
    gone = connection.execute("SELECT id FROM removed WHERE commit_number > ?", (commit,))
    return Changed(
        state(connection)[0],
        tuple(_written_since(connection, commit)),
        tuple(document_id for (document_id,) in gone),
        _history(connection),
    )


def new_history() -> str:
    """Return a name for the commits of one truth from here on."""
    return secrets.token_hex(8)


def begin_history(connection: sqlite3.Connection) -> None:
    """Tell the commits to come from those that another copy of this truth may make."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (HISTORY, new_history()))


def _history(connection: sqlite3.Connection) -> str:
    """Return whose commits these are; stores that were made before this was kept have no name."""
    found = connection.execute("SELECT value FROM meta WHERE name = ?", (HISTORY,)).fetchone()
    return str(found[0]) if found else ""


def _written_since(connection: sqlite3.Connection, commit: int) -> Iterator[str]:
    """Yield documents, latest first: rows are given in the order of commits."""
    latest = connection.execute("SELECT id, commit_number FROM documents ORDER BY row DESC")
    for document_id, number in latest:
        if number <= commit:
            return
        yield document_id


def note_removed(connection: sqlite3.Connection, document_id: str, commit: int) -> None:
    """Remember that a document went; of one that is only replaced, nobody has to know."""
    connection.execute("INSERT OR REPLACE INTO removed VALUES (?, ?)", (document_id, commit))


def note_written(connection: sqlite3.Connection, document_id: str) -> None:
    """Forget that a document ever went, since it is here again."""
    connection.execute("DELETE FROM removed WHERE id = ?", (document_id,))


def note_all_written(connection: sqlite3.Connection) -> None:
    """Let every document be as of the last commit: its vectors were made anew."""
    connection.execute("UPDATE documents SET commit_number = (SELECT commit_number FROM state)")
