"""Which documents have no vectors yet. Runs inside one transaction; makes none."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from itertools import islice

from sextant.types import Unembedded


def unembedded(
    connection: sqlite3.Connection, limit: int, but: Collection[str]
) -> list[Unembedded]:
    """Return documents without vectors, those written last first, without those of some ids."""
    rows = connection.execute(
        "SELECT d.id, d.chunk_count FROM unembedded u JOIN documents d ON d.row = u.document "
        "ORDER BY u.document DESC"
    )
    return list(islice((Unembedded(name, count) for name, count in rows if name not in but), limit))


def count_unembedded(connection: sqlite3.Connection) -> int:
    """Return how many chunks have no vectors."""
    found: tuple[int] = connection.execute(
        "SELECT coalesce(sum(d.chunk_count), 0) FROM unembedded u "
        "JOIN documents d ON d.row = u.document"
    ).fetchone()
    return found[0]
