"""What changed in the truth after a commit, for whoever keeps an index of it elsewhere."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterator

from sextant.stores.removals import most_removals
from sextant.stores.sqlite.truth.schema import decoding, state
from sextant.types import Changed

HISTORY = "history"
"""What is kept of a truth so that it is told from one that was restored from its backup."""
_COMPLETE_SINCE = "removals complete since"
"""Under which name is kept up to which commit removals are forgotten."""


def changed_since(connection: sqlite3.Connection, commit: int) -> Changed:
    """Return which documents were written and which were removed after a commit."""
    gone = connection.execute("SELECT id FROM removed WHERE commit_number > ?", (commit,))
    return Changed(
        state(connection)[0],
        tuple(_written_since(connection, commit)),
        tuple(document_id for (document_id,) in gone),
        _history(connection),
        _complete_since(connection),
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


def has_old_removals(connection: sqlite3.Connection) -> bool:
    """Whether more removals are remembered than are worth it."""
    return _removals(connection) > most_removals(_documents(connection))


def forget_old_removals(connection: sqlite3.Connection) -> None:
    """Forget the oldest removals beyond what is worth it, commit by commit, and note up to which.

    Nothing else reads them: arrays know by row what is gone.
    """
    most = most_removals(_documents(connection))
    found = connection.execute(
        "SELECT commit_number FROM removed ORDER BY commit_number DESC LIMIT 1 OFFSET ?", (most,)
    ).fetchone()
    if found:
        connection.execute("DELETE FROM removed WHERE commit_number <= ?", found)
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_COMPLETE_SINCE, *found))


def _removals(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM removed").fetchone()[0])


def _documents(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM documents").fetchone()[0])


def _complete_since(connection: sqlite3.Connection) -> int:
    by_name = (_COMPLETE_SINCE,)
    found = connection.execute("SELECT value FROM meta WHERE name = ?", by_name).fetchone()
    with decoding():
        return int(found[0]) if found else 0


def note_all_written(connection: sqlite3.Connection) -> None:
    """Let every document be as of the last commit: its vectors were made anew."""
    connection.execute("UPDATE documents SET commit_number = (SELECT commit_number FROM state)")
