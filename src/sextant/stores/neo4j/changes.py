"""How tools, categories and relations are written. Runs inside one transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sextant.limits import Limits, check_tool_room
from sextant.stores.neo4j.catalogue import caller, id_rows
from sextant.stores.neo4j.connection import Transaction, fetch, fetch_all
from sextant.stores.neo4j.rows import relation_row, tool_properties
from sextant.stores.neo4j.schema import KINDS, seen
from sextant.stores.neo4j.state import lock_state, move_state
from sextant.stores.refusals import tool_unknown
from sextant.types import Scope, StoredTool, ToolChange, ToolLink, ToolRelation, ToolState

_PUT = """
UNWIND $rows AS row
MERGE (tool:Tool {tenant: $tenant, id: row.id})
ON CREATE SET tool.missing = true
WITH tool, row, coalesce(tool.sessions, 0) AS sessions,
    CASE WHEN tool.missing THEN row.usage + coalesce(tool.sessions, 0)
         ELSE coalesce(tool.usageCount, 0) END AS usage
SET tool = row.properties
SET tool.sessions = sessions, tool.usageCount = usage
"""
_LEAVE_CATEGORY = """
UNWIND $rows AS row
MATCH (:Tool {tenant: $tenant, id: row.id})-[belongs:BELONGS_TO]->
      (category:Category {tenant: $tenant})
WHERE category.name <> row.category
DELETE belongs
"""
_ENTER_CATEGORY = """
UNWIND $rows AS row
MATCH (tool:Tool {tenant: $tenant, id: row.id})
MERGE (category:Category {tenant: $tenant, name: row.category})
MERGE (tool)-[:BELONGS_TO]->(category)
"""
_DESCRIBE = """
UNWIND $rows AS row
MERGE (category:Category {tenant: $tenant, name: row.name})
SET category.description = row.description
"""
_UNRELATE_REMOVED = f"""
UNWIND $rows AS row
MATCH (:Tool {{tenant: $tenant, id: row.id}})-[edge:{KINDS}|BELONGS_TO]-()
DELETE edge
"""
_REMOVE = """
UNWIND $rows AS row
MATCH (tool:Tool {tenant: $tenant, id: row.id})
WITH tool, row, coalesce(tool.sessions, 0) AS sessions
SET tool = {tenant: $tenant, id: row.id, missing: true, sessions: sessions}
"""
_UNRELATE = f"""
UNWIND $rows AS row
MATCH (:Tool {{tenant: $tenant, id: row.source}})-[edge:{KINDS}]->
      (:Tool {{tenant: $tenant, id: row.target}})
WHERE type(edge) = row.kind
DELETE edge
"""
_RELATE = {
    kind: f"""
UNWIND $rows AS row
MERGE (source:Tool {{tenant: $tenant, id: row.source}})
ON CREATE SET source.missing = true, source.sessions = 0
MERGE (target:Tool {{tenant: $tenant, id: row.target}})
ON CREATE SET target.missing = true, target.sessions = 0
MERGE (source)-[edge:{kind}]->(target)
SET edge = row.properties
"""
    for kind in ToolLink
}
_TIDY_TOOLS = """
UNWIND $rows AS row
MATCH (tool:Tool {tenant: $tenant, id: row.id})
WHERE tool.missing AND coalesce(tool.sessions, 0) = 0 AND NOT (tool)--()
DELETE tool
"""
_TIDY_CATEGORIES = """
MATCH (category:Category {tenant: $tenant})
WHERE category.description IS NULL AND NOT (category)--()
DELETE category
"""
_COUNT = """
MATCH (tool:Tool {tenant: $tenant}) WHERE coalesce(tool.missing, false) = false
RETURN count(tool)
"""
_ADD = f"""
UNWIND $rows AS row
MATCH (tool:Tool {{tenant: $tenant, id: row.id}}) WHERE {seen("tool")}
SET tool.usageCount = coalesce(tool.usageCount, 0) + row.step
RETURN tool.id, tool.usageCount
"""


async def change_tools(
    transaction: Transaction, scope: Scope, change: ToolChange, limits: Limits
) -> ToolState:
    """Do a change; what is raised here rolls it back."""
    state = await lock_state(transaction, scope)
    await _put(transaction, scope, change.puts)
    await _remove(transaction, scope, change)
    await _relate(transaction, scope, change.relations)
    described = [{"name": one.name, "description": one.description} for one in change.categories]
    await fetch_all(transaction, _DESCRIBE, described, tenant=scope.tenant)
    await _tidy(transaction, scope, change)
    tools = (await fetch(transaction, _COUNT, tenant=scope.tenant))[0][0]
    check_tool_room(tools, limits)
    return await move_state(transaction, scope, replace(state, catalogue=state.catalogue + 1))


async def _put(transaction: Transaction, scope: Scope, puts: Sequence[StoredTool]) -> None:
    tenant = scope.tenant
    rows = [
        {"id": one.tool.id, "usage": one.tool.usage, "properties": tool_properties(one, tenant)}
        for one in puts
    ]
    places = [{"id": one.tool.id, "category": one.tool.category} for one in puts]
    await fetch_all(transaction, _PUT, rows, tenant=tenant)
    await fetch_all(transaction, _LEAVE_CATEGORY, places, tenant=tenant)
    entered = [place for place in places if place["category"]]
    await fetch_all(transaction, _ENTER_CATEGORY, entered, tenant=tenant)


async def _remove(transaction: Transaction, scope: Scope, change: ToolChange) -> None:
    removed = id_rows(change.removed)
    for statement in (_UNRELATE_REMOVED, _REMOVE):
        await fetch_all(transaction, statement, removed, tenant=scope.tenant)
    keys = [
        {"source": source, "target": target, "kind": kind}
        for source, target, kind in change.unrelated
    ]
    await fetch_all(transaction, _UNRELATE, keys, tenant=scope.tenant)


async def _relate(
    transaction: Transaction, scope: Scope, relations: Sequence[ToolRelation]
) -> None:
    by_kind: dict[ToolLink, list[dict[str, Any]]] = defaultdict(list)
    for one in relations:
        by_kind[one.kind].append(relation_row(one))
    for kind, rows in by_kind.items():
        await fetch_all(transaction, _RELATE[kind], rows, tenant=scope.tenant)


async def _tidy(transaction: Transaction, scope: Scope, change: ToolChange) -> None:
    """Forget ids that nobody speaks of any more, and categories that nobody described."""
    ends = [end for key in change.unrelated for end in key[:2]]
    if change.removed or ends:
        await tidy_tools(transaction, scope, {*change.removed, *ends})
    await fetch(transaction, _TIDY_CATEGORIES, tenant=scope.tenant)


async def tidy_tools(transaction: Transaction, scope: Scope, ids: Collection[str]) -> None:
    """Forget those of some ids that are of no tool, in no relation and in no use."""
    await fetch_all(transaction, _TIDY_TOOLS, id_rows(ids), tenant=scope.tenant)


async def add_usage(
    transaction: Transaction, scope: Scope, increments: Mapping[str, int]
) -> dict[str, int]:
    """Add to the usage of tools that the scope sees, in one order, so that locks make no ring."""
    rows = [{"id": tool, "step": step} for tool, step in sorted(increments.items())]
    added = {row[0]: row[1] for row in await fetch_all(transaction, _ADD, rows, **caller(scope))}
    for tool in increments:
        if tool not in added:
            raise tool_unknown(tool)
    return {tool: added[tool] for tool in increments}
