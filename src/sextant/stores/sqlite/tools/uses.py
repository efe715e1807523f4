"""Uses of tools in the truth, and what is counted of them. Runs inside one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sextant.stores.sqlite.tools.catalogue import read_state
from sextant.stores.sqlite.tools.rows import blob_of, use_in, use_row
from sextant.stores.sqlite.truth.columns import check_numbers, check_texts
from sextant.stores.tools.counting import pair_counts, tool_counts
from sextant.types import Habits, PairCount, ToolCount, ToolUse

_USES = "SELECT number, id, user, at, request, outcome, calls, vector FROM tool_uses "


def record_uses(connection: sqlite3.Connection, uses: Sequence[ToolUse]) -> int:
    """Take in the uses that are new, and return how many are."""
    known = "SELECT 1 FROM tool_uses WHERE id = ?"
    new = [one for one in uses if not connection.execute(known, (one.id,)).fetchone()]
    connection.executemany(
        "INSERT INTO tool_uses (id, user, at, request, outcome, calls, vector) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        map(use_row, new),
    )
    _count(connection, new, 1)
    return len(new)


def forget_uses(connection: sqlite3.Connection, ids: Iterable[str]) -> int:
    """Take uses back, and return how many there were."""
    rows = [connection.execute(f"{_USES} WHERE id = ?", (one,)).fetchone() for one in {*ids}]
    gone = [use_in(row) for row in rows if row]
    _count(connection, gone, -1)
    connection.executemany(
        "DELETE FROM tool_uses WHERE number = ?", [(one.number,) for one in gone]
    )
    connection.execute("DELETE FROM tool_counts WHERE sessions = 0")
    connection.execute("DELETE FROM tool_pairs WHERE together = 0")
    connection.execute("UPDATE tool_state SET forgotten = forgotten + ?", (len(gone),))
    return len(gone)


def read_uses(connection: sqlite3.Connection, after: int, limit: int) -> list[ToolUse]:
    """Return a page of uses by number."""
    rows = connection.execute(f"{_USES} WHERE number > ? ORDER BY number LIMIT ?", (after, limit))
    return [use_in(row) for row in rows]


def keep_vectors(
    connection: sqlite3.Connection, vectors: Mapping[int, NDArray[np.float32]]
) -> None:
    """Keep the vectors of requests."""
    connection.executemany(
        "UPDATE tool_uses SET vector = ? WHERE number = ?",
        [(blob_of(vector), number) for number, vector in vectors.items()],
    )


def read_habits(connection: sqlite3.Connection) -> Habits:
    """Return all that was counted."""
    tools = connection.execute(
        "SELECT tool, user, period, sessions, shared FROM tool_counts ORDER BY tool, user, period"
    ).fetchall()
    pairs = connection.execute(
        "SELECT source, target, user, period, together, followed, timed, milliseconds "
        "FROM tool_pairs ORDER BY source, target, user, period"
    ).fetchall()
    for row in tools:
        check_texts(*row[:2])
        check_numbers(*row[2:])
    for row in pairs:
        check_texts(*row[:3])
        check_numbers(*row[3:])
    state = read_state(connection)
    return Habits(
        state, tuple(ToolCount(*row) for row in tools), tuple(PairCount(*p) for p in pairs)
    )


def _count(connection: sqlite3.Connection, uses: Sequence[ToolUse], times: int) -> None:
    """Add what uses count for, or take it away."""
    tools = [one for use in uses for one in tool_counts(use)]
    connection.executemany(
        "INSERT INTO tool_usage VALUES (?, 0, ?) "
        "ON CONFLICT (tool) DO UPDATE SET sessions = sessions + excluded.sessions",
        [(one.tool_id, times * one.sessions) for one in tools],
    )
    connection.executemany(
        "INSERT INTO tool_counts VALUES (?, ?, ?, ?, ?) ON CONFLICT (tool, user, period) "
        "DO UPDATE SET sessions = sessions + excluded.sessions, shared = shared + excluded.shared",
        [
            (one.tool_id, one.user, one.period, times * one.sessions, times * one.shared)
            for one in tools
        ],
    )
    connection.executemany(
        "INSERT INTO tool_pairs VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (source, target, user, period) DO UPDATE SET "
        "together = together + excluded.together, followed = followed + excluded.followed, "
        "timed = timed + excluded.timed, milliseconds = milliseconds + excluded.milliseconds",
        [_pair_row(pair, times) for use in uses for pair in pair_counts(use)],
    )


def _pair_row(pair: PairCount, times: int) -> tuple[str, str, str, int, int, int, int, int]:
    return (
        pair.source,
        pair.target,
        pair.user,
        pair.period,
        times * pair.together,
        times * pair.followed,
        times * pair.timed,
        times * pair.milliseconds,
    )
