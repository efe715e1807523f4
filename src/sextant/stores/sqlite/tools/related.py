"""Which tools belong to others: each hop is one statement. Runs in one transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence

from sextant.stores.sqlite.tools.catalogue import read_some
from sextant.stores.sqlite.tools.rows import relation_in
from sextant.stores.sqlite.truth.columns import text_set_in
from sextant.stores.tools.paths import SUPPORT, learnt_edge
from sextant.stores.tools.related import Edge, Start, Step, find_related
from sextant.types import RelatedQuery, RelatedTools, Scope, ToolRelation, is_open_to

# Each part joins its ends itself: one join around all three would copy every row once more.
_HOP = """
WITH start AS MATERIALIZED (
    SELECT json_extract(value, '$[0]') AS start, json_extract(value, '$[1]') AS reached,
        json_extract(value, '$[2]') AS needed
    FROM json_each(:starts)
)
SELECT start, source, target, kind, coalesce(confidence, 1.0) AS worth,
    kind = 'DEPENDS_ON' AND json_extract(tool_relations.body, '$.required') AS required, 0,
    target, category, coalesce(added + sessions, 0), personas
FROM start CROSS JOIN tool_relations ON source = start
CROSS JOIN tools ON tools.id = target LEFT JOIN tool_usage ON tool = target
WHERE kind IN ('OFTEN_USED_WITH', 'DEPENDS_ON')
    AND (reached * worth / :hop >= :least OR (needed AND required))
UNION ALL
SELECT start, source, target, kind, coalesce(confidence, 1.0) AS worth, 0, 0,
    source, category, coalesce(added + sessions, 0), personas
FROM start CROSS JOIN tool_relations ON target = start
CROSS JOIN tools ON tools.id = source LEFT JOIN tool_usage ON tool = source
WHERE kind IN ('OFTEN_USED_WITH', 'DEPENDS_ON')
    AND reached * worth / :hop >= :least
UNION ALL
SELECT start, min(start, two), max(start, two), 'OFTEN_USED_WITH',
    min(1.0, CAST(together AS REAL) / max(own.usage, other.usage)) AS worth, 0, together,
    two, category, other.usage, personas
FROM (
    SELECT start, reached, target AS two, sum(together) AS together
    FROM start CROSS JOIN tool_pairs ON source = start
    GROUP BY start, target HAVING sum(together) >= :support
)
CROSS JOIN (SELECT tool, added + sessions AS usage FROM tool_usage) AS own ON own.tool = start
CROSS JOIN (SELECT tool, added + sessions AS usage FROM tool_usage) AS other ON other.tool = two
CROSS JOIN tools ON tools.id = two
WHERE reached * worth / :hop >= :least AND NOT EXISTS (
    SELECT 1 FROM tool_relations WHERE kind = 'OFTEN_USED_WITH'
    AND json_extract(body, '$.origin') != 'learnt'
    AND ((source = start AND target = two) OR (source = two AND target = start))
)
"""
_RELATION = (
    "SELECT source, target, kind, confidence, body FROM tool_relations "
    "WHERE source = ? AND target = ? AND kind = ?"
)
_USAGE = "SELECT added + sessions FROM tool_usage WHERE tool = ?"
_OPEN = "[]"
"""The personas of a tool that is open to all."""


def read_related(connection: sqlite3.Connection, scope: Scope, query: RelatedQuery) -> RelatedTools:
    """Return what belongs to some tools; all of a tool is read only for those that are chosen."""

    def hop(starts: Sequence[Start], number: int, least: float) -> Iterator[Step]:
        return _follow(connection, scope, starts, number, least)

    known = _known(connection, scope, query.tool_ids)
    chosen = find_related(query, known, hop)
    relations = {edge: _relation(connection, edge) for edge in chosen.edges}
    tools = read_some(connection, scope, chosen.tools)
    return chosen.with_tools(
        query, known, {name: one.tool for name, one in tools.items()}, relations
    )


def _known(connection: sqlite3.Connection, scope: Scope, ids: Collection[str]) -> list[str]:
    """Return those of some tools that the scope sees."""
    rows = connection.execute(
        "SELECT id, personas FROM tools WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    ).fetchall()
    return [name for name, personas in rows if _is_seen(scope, personas)]


def _follow(
    connection: sqlite3.Connection, scope: Scope, starts: Sequence[Start], number: int, least: float
) -> Iterator[Step]:
    given = {"starts": json.dumps(starts), "hop": number, "least": least, "support": SUPPORT}
    for row in connection.execute(_HOP, given):
        if row[-1] == _OPEN or _is_seen(scope, row[-1]):
            yield Step(*row[:-1])


def _is_seen(scope: Scope, personas: str) -> bool:
    return scope.sees_all or is_open_to(scope.personas, text_set_in(personas))


def _relation(connection: sqlite3.Connection, edge: Edge) -> ToolRelation:
    """Return all of an edge."""
    if not edge.together:
        return relation_in(connection.execute(_RELATION, edge[:3]).fetchone())
    ends = (edge.source, edge.target)
    usage = {tool: connection.execute(_USAGE, (tool,)).fetchone()[0] for tool in ends}
    learnt = learnt_edge(*ends, edge.together, usage)
    if learnt is None:
        raise TypeError("Tools were used together more often than they were used.")
    return learnt
