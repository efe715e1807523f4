"""Counters and feedback in the truth. Runs inside one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from sextant.limits import check_totals
from sextant.stores.sqlite.truth.columns import check_numbers, check_texts
from sextant.stores.times import microseconds, moment
from sextant.types import Feedback


def add_counts(connection: sqlite3.Connection, increments: Mapping[str, int]) -> dict[str, int]:
    """Add to counters and return their new values."""
    known = read_counters(connection, list(increments))
    totals = {name: known[name] + step for name, step in increments.items()}
    check_totals(totals)
    connection.executemany("INSERT OR REPLACE INTO counters VALUES (?, ?)", totals.items())
    return totals


def set_counter(connection: sqlite3.Connection, name: str, value: int, over: int) -> bool:
    """Set a counter over a value, unless it has another by now."""
    if read_counters(connection, [name])[name] != over:
        return False
    connection.execute("INSERT OR REPLACE INTO counters VALUES (?, ?)", (name, value))
    return True


def read_counters(connection: sqlite3.Connection, names: Sequence[str]) -> dict[str, int]:
    """Return the counters' values."""
    statement = "SELECT value FROM counters WHERE name = ?"
    found = {name: connection.execute(statement, (name,)).fetchone() for name in names}
    counted = {name: value[0] if value else 0 for name, value in found.items()}
    check_numbers(*counted.values())
    return counted


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
    rows = connection.execute(
        "SELECT subject, verdict, user, comment, at, number FROM feedback "
        "WHERE number > ? ORDER BY number LIMIT ?",
        (after, limit),
    )
    return [_feedback(row) for row in rows]


def _feedback(row: Sequence[Any]) -> Feedback:
    subject, verdict, user, comment, at, number = row
    check_texts(subject, verdict, user, comment)
    return Feedback(subject, verdict, user, comment, moment(at), number)


def all_counters(connection: sqlite3.Connection) -> dict[str, int]:
    """Return every counter."""
    return dict(connection.execute("SELECT name, value FROM counters").fetchall())
