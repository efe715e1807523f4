"""What is read of tools, categories and relations. Runs inside one transaction."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sextant.stores.neo4j.connection import Transaction, fetch, fetch_all
from sextant.stores.neo4j.rows import relation_in, tool_in
from sextant.stores.neo4j.schema import KINDS, seen
from sextant.types import Category, Scope, StoredTool, ToolRelation

_PAGE = f"""
MATCH (tool:Tool) WHERE tool.tenant = $tenant AND tool.id > $after AND {seen("tool")}
RETURN properties(tool) ORDER BY tool.id LIMIT $limit
"""
_SOME = f"""
UNWIND $rows AS row
MATCH (tool:Tool {{tenant: $tenant, id: row.id}}) WHERE {seen("tool")}
RETURN properties(tool)
"""
_ENDS = """
(coalesce(source.missing, false) OR {source}) AND (coalesce(target.missing, false) OR {target})
RETURN source.id, target.id, type(edge), properties(edge)
""".format(source=seen("source"), target=seen("target"))
_RELATIONS = f"""
MATCH (source:Tool {{tenant: $tenant}})-[edge:{KINDS}]->(target:Tool {{tenant: $tenant}})
WHERE {_ENDS}
"""
_RELATIONS_OF_SOME = f"""
UNWIND $rows AS row
MATCH (tool:Tool {{tenant: $tenant, id: row.id}})-[edge:{KINDS}]-(:Tool {{tenant: $tenant}})
WITH DISTINCT edge, startNode(edge) AS source, endNode(edge) AS target
WHERE {_ENDS}
"""
_CATEGORIES = """
MATCH (category:Category {tenant: $tenant}) WHERE category.description IS NOT NULL
RETURN category.name, category.description ORDER BY category.name
"""


def caller(scope: Scope) -> dict[str, Any]:
    """Return the parameters that say who asks."""
    return {
        "tenant": scope.tenant,
        "personas": sorted(scope.personas),
        "sees_all": scope.sees_all,
    }


def id_rows(ids: Collection[str]) -> list[dict[str, Any]]:
    """Return ids as rows of a statement, each once."""
    return [{"id": one} for one in dict.fromkeys(ids)]


async def read_tools(
    transaction: Transaction, scope: Scope, after: str, limit: int
) -> list[StoredTool]:
    """Return a page of tools that the scope sees."""
    rows = await fetch(transaction, _PAGE, after=after, limit=limit, **caller(scope))
    return [tool_in(row[0]) for row in rows]


async def read_some(
    transaction: Transaction, scope: Scope, ids: Collection[str]
) -> dict[str, StoredTool]:
    """Return those of some tools that the scope sees, in the order in which they are named."""
    rows = await fetch_all(transaction, _SOME, id_rows(ids), **caller(scope))
    found = {one.tool.id: one for one in (tool_in(row[0]) for row in rows)}
    return {one: found[one] for one in ids if one in found}


async def read_relations(
    transaction: Transaction, scope: Scope, ids: Collection[str] | None
) -> list[ToolRelation]:
    """Return relations by their keys, none of a tool that the scope does not see."""
    if ids is None:
        rows = await fetch(transaction, _RELATIONS, **caller(scope))
    else:
        rows = await fetch_all(transaction, _RELATIONS_OF_SOME, id_rows(ids), **caller(scope))
    found = {one.key: one for one in (relation_in(*row) for row in rows)}
    return [one for _, one in sorted(found.items())]


async def read_categories(transaction: Transaction, scope: Scope) -> list[Category]:
    """Return the categories that were described."""
    rows = await fetch(transaction, _CATEGORIES, tenant=scope.tenant)
    return [Category(*row) for row in rows]
