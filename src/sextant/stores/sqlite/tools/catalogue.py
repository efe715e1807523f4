"""Tools and their relations in the truth. Runs inside one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence

from sextant.limits import Limits, check_tool_room
from sextant.stores.refusals import tool_unknown
from sextant.stores.sqlite.tools.rows import relation_in, relation_row, tool_in, tool_row
from sextant.stores.sqlite.truth.columns import check_numbers, check_texts, text_set_in
from sextant.types import (
    Category,
    Scope,
    StoredTool,
    ToolChange,
    ToolRelation,
    ToolState,
    is_open_to,
)

_TOOLS = (
    "SELECT id, category, personas, body, vectors, "
    "(SELECT added + sessions FROM tool_usage WHERE tool = id) FROM tools "
)
_RELATIONS = "SELECT source, target, kind, confidence, body FROM tool_relations "
_PAGE = 500
"""Rows that are read at a time while those that a scope does not see are passed over."""


def read_state(connection: sqlite3.Connection) -> ToolState:
    """Return how often the tools changed."""
    row = connection.execute(
        "SELECT catalogue, (SELECT coalesce(max(seq), 0) FROM sqlite_sequence "
        "WHERE name = 'tool_uses'), forgotten, history FROM tool_state"
    ).fetchone()
    check_numbers(*row[:3])
    check_texts(row[3])
    return ToolState(*row)


def change_tools(connection: sqlite3.Connection, change: ToolChange, limits: Limits) -> ToolState:
    """Do a change; whoever calls rolls back if it is refused."""
    _start_usage(connection, change.puts)
    connection.executemany(
        "INSERT OR REPLACE INTO tools VALUES (?, ?, ?, ?, ?)", map(tool_row, change.puts)
    )
    for tool in change.removed:
        connection.execute("DELETE FROM tools WHERE id = ?", (tool,))
        connection.execute("UPDATE tool_usage SET added = 0 WHERE tool = ?", (tool,))
        connection.execute(
            "DELETE FROM tool_relations WHERE source = ? OR target = ?", (tool, tool)
        )
    connection.executemany(
        "DELETE FROM tool_relations WHERE source = ? AND target = ? AND kind = ?", change.unrelated
    )
    connection.executemany(
        "INSERT OR REPLACE INTO tool_relations VALUES (?, ?, ?, ?, ?)",
        map(relation_row, change.relations),
    )
    connection.executemany(
        "INSERT OR REPLACE INTO tool_categories VALUES (?, ?)",
        [(one.name, one.description) for one in change.categories],
    )
    check_tool_room(connection.execute("SELECT count(*) FROM tools").fetchone()[0], limits)
    connection.execute("UPDATE tool_state SET catalogue = catalogue + 1")
    return read_state(connection)


def read_tools(
    connection: sqlite3.Connection, scope: Scope, after: str, limit: int
) -> list[StoredTool]:
    """Return a page of tools that the scope sees."""
    found: list[StoredTool] = []
    while len(found) < limit:
        rows = connection.execute(
            f"{_TOOLS} WHERE id > ? ORDER BY id LIMIT ?", (after, _PAGE)
        ).fetchall()
        found += _seen(scope, map(tool_in, rows))
        if len(rows) < _PAGE:
            break
        after = rows[-1][0]
    return found[:limit]


def read_some(
    connection: sqlite3.Connection, scope: Scope, ids: Collection[str]
) -> dict[str, StoredTool]:
    """Return those of some tools that the scope sees, in the order in which they are named."""
    rows = (connection.execute(f"{_TOOLS} WHERE id = ?", (one,)).fetchone() for one in ids)
    return {one.tool.id: one for one in _seen(scope, (tool_in(row) for row in rows if row))}


def read_relations(
    connection: sqlite3.Connection, scope: Scope, ids: Collection[str] | None
) -> list[ToolRelation]:
    """Return relations by their keys, none of a tool that the scope does not see."""
    if ids is None:
        rows = connection.execute(_RELATIONS).fetchall()
    else:
        touching = f"{_RELATIONS} WHERE source = ? UNION {_RELATIONS} WHERE target = ?"
        rows = [row for one in ids for row in connection.execute(touching, (one, one))]
    hidden = _hidden(connection, scope)
    found = {row[:3]: relation_in(row) for row in rows if hidden.isdisjoint(row[:2])}
    return [one for _, one in sorted(found.items())]


def read_categories(connection: sqlite3.Connection) -> list[Category]:
    """Return the categories that were described."""
    rows = connection.execute("SELECT name, description FROM tool_categories ORDER BY name")
    return [Category(*row) for row in rows]


def add_usage(
    connection: sqlite3.Connection, scope: Scope, increments: Mapping[str, int]
) -> dict[str, int]:
    """Add to the usage of tools that the scope sees."""
    seen = read_some(connection, scope, list(increments))
    for tool in increments:
        if tool not in seen:
            raise tool_unknown(tool)
    connection.executemany(
        "UPDATE tool_usage SET added = added + ? WHERE tool = ?",
        [(step, tool) for tool, step in increments.items()],
    )
    return {tool: seen[tool].tool.usage + step for tool, step in increments.items()}


def _start_usage(connection: sqlite3.Connection, puts: Sequence[StoredTool]) -> None:
    """Let tools that are not there yet start with the usage that they bring."""
    known = "SELECT 1 FROM tools WHERE id = ?"
    new = [one.tool for one in puts if not connection.execute(known, (one.tool.id,)).fetchone()]
    connection.executemany(
        "INSERT INTO tool_usage VALUES (?, ?, 0) "
        "ON CONFLICT (tool) DO UPDATE SET added = excluded.added",
        [(tool.id, tool.usage) for tool in new],
    )


def _seen(scope: Scope, tools: Iterator[StoredTool]) -> list[StoredTool]:
    return [one for one in tools if scope.sees_all or is_open_to(scope.personas, one.tool.personas)]


def _hidden(connection: sqlite3.Connection, scope: Scope) -> set[str]:
    """Return the tools that a scope does not see; most tenants restrict few."""
    if scope.sees_all:
        return set()
    rows = connection.execute("SELECT id, personas FROM tools WHERE personas != '[]'").fetchall()
    return {name for name, own in rows if not is_open_to(scope.personas, text_set_in(own))}
