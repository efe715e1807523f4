"""Threads in the truth: a row for each, and one for each entry. Runs inside one transaction.

No two threads of a user are changed at the same microsecond, so that time is a place in their list.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sextant.limits import Limits, check_thread_growth, check_thread_room
from sextant.stores.refusals import thread_moved_on
from sextant.stores.sqlite.truth.columns import check_numbers, check_texts
from sextant.stores.times import microseconds, moment
from sextant.types import Append, EntryRange, Thread, ThreadEntry, ThreadSummary

THREAD_STEPS = (
    "ALTER TABLE threads ADD COLUMN title TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE threads ADD COLUMN changed INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE threads ADD COLUMN count INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE threads ADD COLUMN last INTEGER NOT NULL DEFAULT 0",
    # When the older ones changed nobody knows: not after now, and each has a time of its own.
    """
    UPDATE threads SET changed = 1000000 * CAST(strftime('%s', 'now') AS INTEGER) - (
        SELECT count(*) FROM threads AS other
        WHERE other.user = threads.user AND other.id >= threads.id)
    """,
    "CREATE UNIQUE INDEX threads_by_change ON threads (user, changed)",
    """
    CREATE TABLE entries (
        row INTEGER PRIMARY KEY,
        user TEXT NOT NULL,
        thread TEXT NOT NULL,
        number INTEGER NOT NULL,
        kind TEXT NOT NULL,
        body TEXT NOT NULL,
        at INTEGER NOT NULL,
        UNIQUE (user, thread, number)
    )
    """,
)
"""What turns the tables of format 2 into those with entries, titles and a list."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A thread as it is kept, without its state; version 0 is one that does not exist."""

    id: str
    title: str = ""
    version: int = 0
    count: int = 0
    last: int = 0
    changed: int = 0

    @property
    def summary(self) -> ThreadSummary:
        check_texts(self.id, self.title)
        check_numbers(self.version, self.count, self.last)
        changed = moment(self.changed)
        assert changed is not None  # noqa: S101 - the column is never null
        return ThreadSummary(
            self.id, self.title, self.version, self.count, self.last, changed, str(self.changed)
        )


_COLUMNS = "id, title, version, count, last, changed"


def read_threads(
    connection: sqlite3.Connection, user: str, ids: Sequence[str]
) -> dict[str, Thread]:
    """Return a user's threads that exist."""
    statement = "SELECT id, state, version, title FROM threads WHERE user = ? AND id = ?"
    found = (connection.execute(statement, (user, name)).fetchone() for name in ids)
    return {row[0]: _thread(row) for row in found if row}


def save_thread(
    connection: sqlite3.Connection, user: str, thread: Thread, limits: Limits
) -> Thread:
    """Save over the version that the thread carries, and no other."""
    known = _row(connection, user, thread.id)
    if known.version != thread.version:
        raise thread_moved_on(known.version, thread.version)
    saved = _put(connection, user, known, limits, title=thread.title, state=thread.state)
    return Thread(thread.id, thread.state, saved.version, thread.title)


def append_entries(
    connection: sqlite3.Connection, user: str, appends: Sequence[Append], limits: Limits
) -> list[ThreadSummary]:
    """Append to a user's threads, and return how each of them stands then."""
    return [_append(connection, user, one, limits) for one in appends]


def read_entries(
    connection: sqlite3.Connection, user: str, thread_id: str, part: EntryRange
) -> list[ThreadEntry]:
    """Return a page of a user's thread by number."""
    order = "DESC" if part.newest_first else "ASC"
    before = 2**63 - 1 if part.before is None else part.before
    rows = connection.execute(
        "SELECT kind, body, at, number FROM entries WHERE user = ? AND thread = ?"  # noqa: S608
        f" AND number > ? AND number < ? ORDER BY number {order} LIMIT ?",
        (user, thread_id, part.after, before, part.limit),
    )
    return [_entry(row) for row in rows]


def list_threads(
    connection: sqlite3.Connection, user: str, prefix: str, before: int, limit: int
) -> list[ThreadSummary]:
    """List a user's threads, the last changed first, of those that changed before a time."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM threads WHERE user = ?1 AND changed < ?2"  # noqa: S608
        " AND substr(id, 1, length(?3)) = ?3 ORDER BY changed DESC LIMIT ?4",
        (user, before, prefix, limit),
    )
    return [_Row(*row).summary for row in rows]


def delete_threads(connection: sqlite3.Connection, user: str, ids: Sequence[str]) -> int:
    """Delete a user's threads with all that they hold, and return how many existed."""
    deleted = 0
    for name in ids:
        connection.execute("DELETE FROM entries WHERE user = ? AND thread = ?", (user, name))
        deleted += connection.execute(
            "DELETE FROM threads WHERE user = ? AND id = ?", (user, name)
        ).rowcount
    return deleted


def all_threads(connection: sqlite3.Connection) -> dict[str, list[Thread]]:
    """Return every thread by user."""
    threads: dict[str, list[Thread]] = {}
    for user, *row in connection.execute("SELECT user, id, state, version, title FROM threads"):
        threads.setdefault(user, []).append(_thread(row))
    return threads


def all_entries(connection: sqlite3.Connection) -> Iterator[tuple[str, str, ThreadEntry]]:
    """Yield every entry, after its user and thread, in order."""
    rows = connection.execute(
        "SELECT user, thread, kind, body, at, number FROM entries ORDER BY user, thread, number"
    )
    for user, thread, *row in rows:
        yield user, thread, _entry(row)


def _thread(row: Sequence[Any]) -> Thread:
    name, state, version, title = row
    check_texts(name, state, title)
    check_numbers(version)
    return Thread(name, state, version, title)


def _entry(row: Sequence[Any]) -> ThreadEntry:
    kind, body, at, number = row
    check_texts(kind, body)
    return ThreadEntry(kind, body, moment(at), number)


def _append(
    connection: sqlite3.Connection, user: str, one: Append, limits: Limits
) -> ThreadSummary:
    known = _row(connection, user, one.thread_id)
    if one.version is not None and one.version != known.version:
        raise thread_moved_on(known.version, one.version)
    now = microseconds(datetime.now(UTC))
    connection.executemany(
        "INSERT INTO entries (user, thread, number, kind, body, at) VALUES (?, ?, ?, ?, ?, ?)",
        (
            (user, one.thread_id, number, entry.kind, entry.body, _time(entry, now))
            for number, entry in enumerate(one.entries, known.last + 1)
        ),
    )
    last = known.last + len(one.entries)
    gone = _forget(connection, user, one, last)
    count = known.count + len(one.entries) - gone
    check_thread_growth(count, limits)
    title = known.title if one.title is None else one.title
    return _put(connection, user, known, limits, title=title, count=count, last=last).summary


def _forget(connection: sqlite3.Connection, user: str, one: Append, last: int) -> int:
    """Delete the entries that are not to be kept, and return how many they were."""
    if one.keep is None:
        return 0
    return connection.execute(
        "DELETE FROM entries WHERE user = ? AND thread = ? AND number <= ?",
        (user, one.thread_id, last - one.keep),
    ).rowcount


def _time(entry: ThreadEntry, now: int) -> int:
    return microseconds(entry.at) if entry.at else now


def _row(connection: sqlite3.Connection, user: str, thread_id: str) -> _Row:
    found = connection.execute(
        f"SELECT {_COLUMNS} FROM threads WHERE user = ? AND id = ?",  # noqa: S608
        (user, thread_id),
    ).fetchone()
    return _Row(*found) if found else _Row(thread_id)


def _put(
    connection: sqlite3.Connection, user: str, known: _Row, limits: Limits, **values: object
) -> _Row:
    """Change a thread's row, or make it, as the last of the user's that changed."""
    changed = _next_change(connection, user)
    if not known.version:
        own = connection.execute("SELECT count(*) FROM threads WHERE user = ?", (user,))
        check_thread_room(own.fetchone()[0], limits)
        connection.execute(
            "INSERT INTO threads (user, id, state, version, changed) VALUES (?, ?, '', 0, ?)",
            (user, known.id, changed),
        )
    values["changed"] = changed
    names = ", ".join(f"{name} = ?" for name in values)
    connection.execute(
        f"UPDATE threads SET version = version + 1, {names} WHERE user = ? AND id = ?",  # noqa: S608
        (*values.values(), user, known.id),
    )
    return _row(connection, user, known.id)


def _next_change(connection: sqlite3.Connection, user: str) -> int:
    """Return a time for a change: now, or as little later as it takes to be the last."""
    latest = connection.execute("SELECT max(changed) FROM threads WHERE user = ?", (user,))
    return max(microseconds(datetime.now(UTC)), (latest.fetchone()[0] or 0) + 1)
