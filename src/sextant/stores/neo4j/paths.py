"""What belongs to a tool, walked in the database. Runs inside one transaction.

The database walks, and leaves out what can lead to nothing; which of it is best is reckoned where
all engines do.
"""

from __future__ import annotations

from sextant.stores.neo4j.catalogue import caller, id_rows, read_some
from sextant.stores.neo4j.connection import Row, Transaction, fetch, fetch_all
from sextant.stores.neo4j.refusals import other_schema
from sextant.stores.neo4j.rows import relation_in, tool_in
from sextant.stores.neo4j.schema import KINDS, USED_TOGETHER, seen
from sextant.stores.refusals import tool_unknown
from sextant.stores.tools.paths import (
    FOLLOWED,
    MOST_USED,
    SUPPORT,
    best_alternatives,
    learnt_edge,
)
from sextant.stores.tools.related import Edge, RelatedSearch, Step, light_edge
from sextant.types import (
    AlternativeTool,
    LinkOrigin,
    RelatedQuery,
    RelatedTools,
    Scope,
    ToolLink,
    ToolRelation,
    ToolStats,
)

_OFTEN = ToolLink.OFTEN_USED_WITH
_IS_UNDECLARED = f"""NOT EXISTS {{ MATCH (one)-[declared:{_OFTEN}]-(two)
    WHERE coalesce(declared.origin, '') <> '{LinkOrigin.LEARNT}' }}"""
"""Who declared an edge between one and two is believed before their use."""
_GIVEN = f"""
UNWIND $rows AS row
MATCH (tool:Tool {{tenant: $tenant, id: row.id}}) WHERE {seen("tool")}
RETURN tool.id
"""
_HOP = f"""
UNWIND $rows AS row
MATCH (one:Tool {{tenant: $tenant, id: row.id}})
      -[edge:{"|".join(FOLLOWED)}|{USED_TOGETHER}]-(two:Tool {{tenant: $tenant}})
WHERE type(edge) <> '{USED_TOGETHER}' OR edge.coOccurrences >= $support
WITH row, one, edge, two,
    CASE WHEN type(edge) <> '{USED_TOGETHER}' THEN coalesce(edge.confidence, 1.0)
         WHEN edge.coOccurrences >= one.usageCount AND edge.coOccurrences >= two.usageCount THEN 1.0
         WHEN one.usageCount > two.usageCount THEN toFloat(edge.coOccurrences) / one.usageCount
         ELSE toFloat(edge.coOccurrences) / two.usageCount END AS worth
WHERE (row.worth * worth / $hop >= $least
       OR (row.needed AND type(edge) = '{ToolLink.DEPENDS_ON}' AND coalesce(edge.required, true)
           AND startNode(edge) = one))
  AND {seen("two")} AND (type(edge) <> '{USED_TOGETHER}' OR {_IS_UNDECLARED})
RETURN startNode(edge).id, endNode(edge).id, type(edge), properties(edge),
    one.id, coalesce(one.usageCount, 0),
    two.id, coalesce(two.category, ''), coalesce(two.usageCount, 0)
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
WHERE edge.coOccurrences >= $support AND {seen("one")} AND {seen("two")} AND {_IS_UNDECLARED}
RETURN count(*)
"""
_USES = "MATCH (use:ToolUse {tenant: $tenant}) RETURN count(*)"
_MOST_USED = f"""
MATCH (tool:Tool {{tenant: $tenant}}) WHERE tool.usageCount > 0 AND {seen("tool")}
RETURN tool.id, tool.usageCount ORDER BY tool.usageCount DESC, tool.id LIMIT $limit
"""


async def read_related(transaction: Transaction, scope: Scope, query: RelatedQuery) -> RelatedTools:
    """Return what belongs to some tools; all of a tool is read only for those that are chosen."""
    who = caller(scope)
    rows = await fetch_all(transaction, _GIVEN, id_rows(query.tool_ids), **who)
    known = [row[0] for row in rows]
    search, relations = RelatedSearch(query, known), dict[Edge, ToolRelation]()
    while starts := search.starts():
        limits = {"hop": search.hop, "least": float(query.min_confidence), "support": SUPPORT}
        places = [start._asdict() for start in starts]
        found = await fetch_all(transaction, _HOP, places, **limits, **who)
        steps = [(_relation(row), row) for row in found]
        relations |= {light_edge(relation): relation for relation, _ in steps}
        search.follow(Step(row[4], *light_edge(relation), *row[6:]) for relation, row in steps)
    chosen = search.chosen()
    whole = await read_some(transaction, scope, chosen.tools)
    return chosen.with_tools(
        query, known, {name: one.tool for name, one in whole.items()}, relations
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


def _relation(row: Row) -> ToolRelation:
    source, target, kind, properties, one, usage, two, _, other_usage = row
    if kind != USED_TOGETHER:
        return relation_in(source, target, kind, properties)
    counts = {one: usage, two: other_usage}
    edge = learnt_edge(one, two, properties["coOccurrences"], counts)
    if edge is None:
        raise other_schema("In Neo4j a USED_TOGETHER was not written by Sextant.")
    return edge
