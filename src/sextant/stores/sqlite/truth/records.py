"""Counters, threads and feedback in the truth. Runs inside one transaction."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence

from sextant.limits import check_totals
from sextant.stores.refusals import thread_moved_on
from sextant.stores.times import microseconds, moment
from sextant.types import Feedback, Thread


def add_counts(connection: sqlite3.Connection, increments: Mapping[str, int]) -> dict[str, int]:
    """Add to counters and return their new values."""
    known = read_counters(connection, list(increments))
    totals = {name: known[name] + step for name, step in increments.items()}
    check_totals(totals)
    connection.executemany("INSERT OR REPLACE INTO counters VALUES (?, ?)", totals.items())
    return totals


def read_counters(connection: sqlite3.Connection, names: Sequence[str]) -> dict[str, int]:
    """Return the counters' values."""
    statement = "SELECT value FROM counters WHERE name = ?"
    found = {name: connection.execute(statement, (name,)).fetchone() for name in names}
    return {name: value[0] if value else 0 for name, value in found.items()}


def read_threads(
    connection: sqlite3.Connection, user: str, ids: Sequence[str]
) -> dict[str, Thread]:
    """Return a user's threads that exist."""
    statement = "SELECT id, state, version FROM threads WHERE user = ? AND id = ?"
    found = (connection.execute(statement, (user, name)).fetchone() for name in ids)
    return {row[0]: Thread(*row) for row in found if row}


def save_thread(connection: sqlite3.Connection, user: str, thread: Thread) -> Thread:
    """Save over the version that the thread carries, and no other."""
    known = read_threads(connection, user, [thread.id]).get(thread.id, Thread(thread.id))
    if known.version != thread.version:
        raise thread_moved_on(known, thread)
    saved = Thread(thread.id, thread.state, thread.version + 1)
    connection.execute(
        "INSERT OR REPLACE INTO threads VALUES (?, ?, ?, ?)",
        (user, saved.id, saved.state, saved.version),
    )
    return saved


def append_feedback(connection: sqlite3.Connection, items: Sequence[Feedback]) -> int:
    """Append and return the last number given."""
    for item in items:
        at = microseconds(item.at) if item.at else None
        connection.execute(
            "INSERT INTO feedback (subject, verdict, user, comment, at) VALUES (?, ?, ?, ?, ?)",
            (item.subject, item.verdict, item.user, item.comment, at),
        )
    return int(connection.execute("SELECT coalesce(max(number), 0) FROM feedback").fetchone()[0])


def read_feedback(connection: sqlite3.Connection, after: int, limit: int) -> list[Feedback]:
    """Return feedback in the order in which it came."""
    return [
        Feedback(subject, verdict, user, comment, moment(at), number)
        for subject, verdict, user, comment, at, number in connection.execute(
            "SELECT subject, verdict, user, comment, at, number FROM feedback "
            "WHERE number > ? ORDER BY number LIMIT ?",
            (after, limit),
        )
    ]


def all_threads(connection: sqlite3.Connection) -> Mapping[str, list[Thread]]:
    """Return every thread by user."""
    threads: dict[str, list[Thread]] = defaultdict(list)
    for user, *row in connection.execute("SELECT user, id, state, version FROM threads"):
        threads[user].append(Thread(*row))
    return threads


def all_counters(connection: sqlite3.Connection) -> dict[str, int]:
    """Return every counter."""
    return dict(connection.execute("SELECT name, value FROM counters").fetchall())
