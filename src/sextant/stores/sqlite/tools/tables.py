"""The tables of tools. They know no other table."""

from __future__ import annotations

TOOL_TABLES = (
    """CREATE TABLE tools (
    id TEXT PRIMARY KEY,
    category TEXT NOT NULL,
    personas TEXT NOT NULL,
    body TEXT NOT NULL,
    vectors BLOB
)""",
    "CREATE TABLE tool_categories (name TEXT PRIMARY KEY, description TEXT NOT NULL) WITHOUT ROWID",
    """CREATE TABLE tool_relations (
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    kind TEXT NOT NULL,
    confidence REAL,
    body TEXT NOT NULL,
    PRIMARY KEY (source, target, kind)
) WITHOUT ROWID""",
    "CREATE INDEX tool_relations_by_target ON tool_relations (target, kind, source, confidence)",
    """CREATE TABLE tool_uses (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    user TEXT NOT NULL,
    at INTEGER,
    request TEXT NOT NULL,
    outcome TEXT NOT NULL,
    calls TEXT NOT NULL,
    vector BLOB
)""",
    """CREATE TABLE tool_usage (
    tool TEXT PRIMARY KEY,
    added INTEGER NOT NULL,
    sessions INTEGER NOT NULL
) WITHOUT ROWID""",
    """CREATE TABLE tool_counts (
    tool TEXT NOT NULL,
    user TEXT NOT NULL,
    period INTEGER NOT NULL,
    sessions INTEGER NOT NULL,
    shared INTEGER NOT NULL,
    PRIMARY KEY (tool, user, period)
) WITHOUT ROWID""",
    """CREATE TABLE tool_pairs (
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    user TEXT NOT NULL,
    period INTEGER NOT NULL,
    together INTEGER NOT NULL,
    followed INTEGER NOT NULL,
    timed INTEGER NOT NULL,
    milliseconds INTEGER NOT NULL,
    PRIMARY KEY (source, target, user, period)
) WITHOUT ROWID""",
    """CREATE TABLE tool_state (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    catalogue INTEGER NOT NULL,
    forgotten INTEGER NOT NULL,
    history TEXT NOT NULL
)""",
    "INSERT INTO tool_state VALUES (1, 0, 0, lower(hex(randomblob(8))))",
)
"""What makes them, in a new database or in one of an older format."""
