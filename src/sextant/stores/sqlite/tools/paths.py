"""What belongs to a tool, by statements over the edges that touch it. Runs in one transaction."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable

from sextant.stores.refusals import tool_unknown
from sextant.stores.sqlite.tools.catalogue import read_relations, read_some
from sextant.stores.sqlite.tools.rows import relation_in
from sextant.stores.sqlite.truth.columns import text_set_in
from sextant.stores.tools.paths import (
    MOST_USED,
    SUPPORT,
    best_alternatives,
    learnt_edge,
    without_doubles,
)
from sextant.types import (
    AlternativeTool,
    Scope,
    Tool,
    ToolRelation,
    ToolStats,
    is_open_to,
)

_EDGES = (
    "SELECT source, target, kind, confidence, body FROM tool_relations "
    "WHERE kind IN ('OFTEN_USED_WITH', 'DEPENDS_ON') AND "
)
_ALTERNATIVES = (
    "SELECT source, target, kind, confidence, body FROM tool_relations "
    "WHERE kind = 'ALTERNATIVE_TO' AND (source = ? OR target = ?)"
)
_TOGETHER = (
    "SELECT target, sum(together) FROM tool_pairs WHERE source = ? "
    "GROUP BY target HAVING sum(together) >= ?"
)
_USAGE = "SELECT added + sessions FROM tool_usage WHERE tool = ?"


def read_alternatives(
    connection: sqlite3.Connection,
    scope: Scope,
    tool_id: str,
    allowed: frozenset[str] | None,
    limit: int,
) -> list[AlternativeTool]:
    """Return what can stand in for a tool."""

    def tools(ids: Collection[str]) -> dict[str, Tool]:
        return {name: one.tool for name, one in read_some(connection, scope, ids).items()}

    if not tools([tool_id]):
        raise tool_unknown(tool_id)
    rows = connection.execute(_ALTERNATIVES, (tool_id, tool_id))
    return best_alternatives(tool_id, map(relation_in, rows), tools, allowed, limit)


def read_stats(connection: sqlite3.Connection, scope: Scope) -> ToolStats:
    """Count what a scope sees."""
    rows = connection.execute(
        "SELECT id, category, personas, coalesce(added + sessions, 0) FROM tools "
        "LEFT JOIN tool_usage ON tool = id ORDER BY id"
    ).fetchall()
    seen = [
        row for row in rows if scope.sees_all or is_open_to(scope.personas, text_set_in(row[2]))
    ]
    names = {row[0] for row in seen}
    edges = without_doubles([*read_relations(connection, scope, None), *_edges(connection, names)])
    inside = [edge.kind.value for edge in edges if {edge.source, edge.target} <= names]
    used = sorted((-row[3], row[0]) for row in seen if row[3])[:MOST_USED]
    return ToolStats(
        len(seen),
        _counted(row[1] for row in seen),
        _counted(inside),
        connection.execute("SELECT count(*) FROM tool_uses").fetchone()[0],
        tuple((name, -times) for times, name in used),
    )


def _edges(connection: sqlite3.Connection, ids: Collection[str]) -> list[ToolRelation]:
    """Return the edges that lead to related tools and touch some tools."""
    found: list[ToolRelation] = []
    usage: dict[str, int] = {}
    for one in ids:
        for side in ("source = ?", "target = ?"):
            found += map(relation_in, connection.execute(_EDGES + side, (one,)))
        for other, together in connection.execute(_TOGETHER, (one, SUPPORT)).fetchall():
            for tool in {one, other} - usage.keys():
                usage[tool] = connection.execute(_USAGE, (tool,)).fetchone()[0]
            edge = learnt_edge(one, other, together, usage)
            found += [edge] if edge else []
    return found


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
