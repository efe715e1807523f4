"""What belongs to a tool, walked in the database. Runs inside one transaction.

The database walks, and leaves out what can lead to nothing; which of it is best is reckoned where
all engines do.
"""

from __future__ import annotations

from dataclasses import replace

from sextant.stores.neo4j.catalogue import caller, id_rows, read_some
from sextant.stores.neo4j.connection import Row, Transaction, fetch, fetch_all
from sextant.stores.neo4j.rows import relation_in, tool_in
from sextant.stores.neo4j.schema import KINDS, USED_TOGETHER, seen
from sextant.stores.refusals import tool_unknown
from sextant.stores.tools.paths import (
    FOLLOWED,
    MOST_USED,
    SUPPORT,
    RelatedSearch,
    best_alternatives,
    learnt_edge,
    path_worth,
    without_doubles,
)
from sextant.types import (
    AlternativeTool,
    RelatedQuery,
    RelatedTools,
    Scope,
    Tool,
    ToolLink,
    ToolRelation,
    ToolStats,
)

_OFTEN = ToolLink.OFTEN_USED_WITH
_LIGHT = "{tool}.id, coalesce({tool}.category, ''), coalesce({tool}.usageCount, 0)"
_IS_LEARNT = f"""(edge.coOccurrences >= $support
    AND coalesce(one.usageCount, 0) + coalesce(two.usageCount, 0) > 0
    AND NOT (one)-[:{_OFTEN}]-(two))"""
"""Enough to join two tools, between which nobody declared anything; of one and two by edge."""
_GIVEN = f"""
UNWIND $rows AS row
MATCH (tool:Tool {{tenant: $tenant, id: row.id}}) WHERE {seen("tool")}
RETURN {_LIGHT.format(tool="tool")}
"""
_HOP = f"""
UNWIND $rows AS row
MATCH (one:Tool {{tenant: $tenant, id: row.id}})
      -[edge:{"|".join(FOLLOWED)}|{USED_TOGETHER}]-(two:Tool {{tenant: $tenant}})
WHERE {seen("two")} AND (type(edge) <> '{USED_TOGETHER}' OR {_IS_LEARNT})
WITH row, one, edge, two,
    CASE WHEN type(edge) <> '{USED_TOGETHER}' THEN coalesce(edge.confidence, 1.0)
         WHEN edge.coOccurrences >= one.usageCount AND edge.coOccurrences >= two.usageCount THEN 1.0
         WHEN one.usageCount > two.usageCount THEN toFloat(edge.coOccurrences) / one.usageCount
         ELSE toFloat(edge.coOccurrences) / two.usageCount END AS worth
WHERE row.worth * worth / row.hops >= $least
   OR (row.needed AND type(edge) = '{ToolLink.DEPENDS_ON}' AND coalesce(edge.required, true)
       AND startNode(edge) = one)
RETURN startNode(edge).id, endNode(edge).id, type(edge), properties(edge),
    one.id, coalesce(one.usageCount, 0), {_LIGHT.format(tool="two")}
"""
_ALTERNATIVES = f"""
MATCH (tool:Tool {{tenant: $tenant, id: $id}}) WHERE {seen("tool")}
OPTIONAL MATCH (tool)-[edge:{ToolLink.ALTERNATIVE_TO}]-(other:Tool {{tenant: $tenant}})
WHERE {seen("other")} AND ($allowed IS NULL OR other.category IN $allowed)
RETURN startNode(edge).id, endNode(edge).id, type(edge), properties(edge), properties(other)
"""
_BY_CATEGORY = f"""
MATCH (tool:Tool {{tenant: $tenant}}) WHERE {seen("tool")}
RETURN coalesce(tool.category, '') AS category, count(*) ORDER BY category
"""
_BY_KIND = f"""
MATCH (one:Tool {{tenant: $tenant}})-[edge:{KINDS}]->(two:Tool {{tenant: $tenant}})
WHERE {seen("one")} AND {seen("two")}
RETURN type(edge), count(*)
"""
_LEARNT = f"""
MATCH (one:Tool {{tenant: $tenant}})-[edge:{USED_TOGETHER}]->(two:Tool {{tenant: $tenant}})
WHERE {seen("one")} AND {seen("two")} AND {_IS_LEARNT}
RETURN count(*)
"""
_USES = "MATCH (use:ToolUse {tenant: $tenant}) RETURN count(*)"
_MOST_USED = f"""
MATCH (tool:Tool {{tenant: $tenant}}) WHERE tool.usageCount > 0 AND {seen("tool")}
RETURN tool.id, tool.usageCount ORDER BY tool.usageCount DESC, tool.id LIMIT $limit
"""


async def read_related(transaction: Transaction, scope: Scope, query: RelatedQuery) -> RelatedTools:
    """Return what belongs to some tools; all of a tool is read only for those that are chosen."""
    rows = await fetch_all(transaction, _GIVEN, id_rows(query.tool_ids), **caller(scope))
    search = RelatedSearch(query, {row[0]: _light_tool(row) for row in rows})
    while starts := search.starts():
        places = [
            {
                "id": tool,
                "worth": path_worth(path) if path else 1.0,
                "hops": len(path) + 1,
                "needed": search.needs(tool),
            }
            for tool, path in starts.items()
        ]
        limits = {"support": SUPPORT, "least": float(query.min_confidence)}
        found = await fetch_all(transaction, _HOP, places, **limits, **caller(scope))
        edges = [edge for row in found if (edge := _edge(row))]
        search.follow(without_doubles(edges), {row[6]: _light_tool(row[6:]) for row in found})
    related = search.chosen()
    whole = await read_some(transaction, scope, [one.tool.id for one in related.tools])
    return replace(
        related,
        tools=tuple(
            replace(one, tool=whole[one.tool.id].tool)
            for one in related.tools
            if one.tool.id in whole  # it may have gone since
        ),
    )


async def read_alternatives(
    transaction: Transaction,
    scope: Scope,
    tool_id: str,
    allowed: frozenset[str] | None,
    limit: int,
) -> list[AlternativeTool]:
    """Return what can stand in for a tool."""
    categories = None if allowed is None else sorted(allowed)
    rows = await fetch(transaction, _ALTERNATIVES, id=tool_id, allowed=categories, **caller(scope))
    if not rows:
        raise tool_unknown(tool_id)
    found = [row for row in rows if row[4]]
    others = {tool.id: tool for tool in (tool_in(row[4]).tool for row in found)}
    relations = [relation_in(*row[:4]) for row in found]
    return best_alternatives(tool_id, relations, lambda _: others, allowed, limit)


async def read_stats(transaction: Transaction, scope: Scope) -> ToolStats:
    """Count what a scope sees."""
    who = caller(scope)
    categories = {row[0]: row[1] for row in await fetch(transaction, _BY_CATEGORY, **who)}
    kinds = {row[0]: row[1] for row in await fetch(transaction, _BY_KIND, **who)}
    learnt = (await fetch(transaction, _LEARNT, support=SUPPORT, **who))[0][0]
    if learnt:
        kinds[_OFTEN.value] = kinds.get(_OFTEN.value, 0) + learnt
    uses = (await fetch(transaction, _USES, tenant=scope.tenant))[0][0]
    used = await fetch(transaction, _MOST_USED, limit=MOST_USED, **who)
    return ToolStats(
        sum(categories.values()),
        categories,
        dict(sorted(kinds.items())),
        uses,
        tuple((name, times) for name, times in used),
    )


def _edge(row: Row) -> ToolRelation | None:
    source, target, kind, properties, one, usage, two, _, other_usage = row
    if kind != USED_TOGETHER:
        return relation_in(source, target, kind, properties)
    return learnt_edge(one, two, properties["coOccurrences"], {one: usage, two: other_usage})


def _light_tool(row: Row) -> Tool:
    """Return as much of a tool as its place among others depends on."""
    return Tool(row[0], category=row[1], usage=row[2])
