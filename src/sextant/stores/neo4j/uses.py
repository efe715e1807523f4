"""Uses of tools as nodes, and what is counted of them. Runs inside one transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sextant.errors import StoreBusy
from sextant.stores.neo4j.catalogue import id_rows
from sextant.stores.neo4j.changes import tidy_tools
from sextant.stores.neo4j.connection import Row, Transaction, fetch, fetch_all
from sextant.stores.neo4j.refusals import other_schema
from sextant.stores.neo4j.rows import use_in, use_properties, vector_bytes
from sextant.stores.neo4j.schema import USED_TOGETHER
from sextant.stores.neo4j.state import lock_state, move_state, read_state
from sextant.stores.tools.counting import pair_counts, tool_counts
from sextant.types import Habits, PairCount, Scope, ToolCount, ToolState, ToolUse

_BY_ID = """
UNWIND $rows AS row
MATCH (use:ToolUse {tenant: $tenant, id: row.id}) RETURN properties(use)
"""
_KNOWN = """
UNWIND $rows AS row
MATCH (use:ToolUse {tenant: $tenant, id: row.id}) RETURN use.id
"""
_CREATE = "UNWIND $rows AS row CREATE (use:ToolUse) SET use = row"
_DELETE = """
UNWIND $rows AS row
MATCH (use:ToolUse {tenant: $tenant, id: row.id}) DELETE use
"""
_COUNT_TOOLS = """
UNWIND $rows AS row
MERGE (count:ToolCount {tenant: $tenant, tool: row.tool, user: row.user, period: row.period})
ON CREATE SET count.sessions = 0, count.shared = 0
SET count.sessions = count.sessions + row.sessions, count.shared = count.shared + row.shared
WITH count WHERE count.sessions = 0
DELETE count
"""
_COUNT_PAIRS = """
UNWIND $rows AS row
MERGE (count:PairCount {
    tenant: $tenant, source: row.source, target: row.target, user: row.user, period: row.period})
ON CREATE SET count.together = 0, count.followed = 0, count.timed = 0, count.milliseconds = 0
SET count.together = count.together + row.together,
    count.followed = count.followed + row.followed,
    count.timed = count.timed + row.timed,
    count.milliseconds = count.milliseconds + row.milliseconds
WITH count WHERE count.together = 0
DELETE count
"""
_COUNT_SESSIONS = """
UNWIND $rows AS row
MERGE (tool:Tool {tenant: $tenant, id: row.id})
ON CREATE SET tool.missing = true
SET tool.sessions = coalesce(tool.sessions, 0) + row.sessions,
    tool.usageCount = tool.usageCount + row.sessions
"""
_JOIN = f"""
UNWIND $rows AS row
MATCH (source:Tool {{tenant: $tenant, id: row.source}})
MATCH (target:Tool {{tenant: $tenant, id: row.target}})
MERGE (source)-[edge:{USED_TOGETHER}]->(target)
ON CREATE SET edge.coOccurrences = 0
SET edge.coOccurrences = edge.coOccurrences + row.together
WITH edge WHERE edge.coOccurrences = 0
DELETE edge
"""
_PAGE = """
MATCH (use:ToolUse) WHERE use.tenant = $tenant AND use.number > $after
RETURN properties(use) ORDER BY use.number LIMIT $limit
"""
_VECTORS = """
UNWIND $rows AS row
MATCH (use:ToolUse {tenant: $tenant, number: row.number}) SET use.vector = row.vector
"""
_TOOL_COUNTS = """
MATCH (one:ToolCount {tenant: $tenant})
RETURN one.tool, one.user, one.period, one.sessions, one.shared
"""
_PAIR_COUNTS = """
MATCH (one:PairCount {tenant: $tenant})
RETURN one.source, one.target, one.user, one.period,
    one.together, one.followed, one.timed, one.milliseconds
"""
_TRIES = 5
"""How often counts are read while somebody goes on writing: each read takes milliseconds."""


async def record_uses(transaction: Transaction, scope: Scope, uses: Sequence[ToolUse]) -> int:
    """Take in the uses that are new, and return how many are."""
    state, tenant = await lock_state(transaction, scope), scope.tenant
    ids = id_rows([one.id for one in uses])
    known = {row[0] for row in await fetch_all(transaction, _KNOWN, ids, tenant=tenant)}
    new = [one for one in uses if one.id not in known]
    rows = [use_properties(one, tenant, at) for at, one in enumerate(new, state.uses + 1)]
    await fetch_all(transaction, _CREATE, rows)
    await _count(transaction, scope, new, 1)
    await move_state(transaction, scope, replace(state, uses=state.uses + len(new)))
    return len(new)


async def forget_uses(transaction: Transaction, scope: Scope, ids: Collection[str]) -> int:
    """Take uses back, and return how many there were."""
    if await read_state(transaction, scope) == ToolState():
        return 0  # so that a tenant which does not exist is not made
    state, tenant = await lock_state(transaction, scope), scope.tenant
    rows = await fetch_all(transaction, _BY_ID, id_rows(ids), tenant=tenant)
    gone = [use_in(row[0]) for row in rows]
    await fetch_all(transaction, _DELETE, id_rows([one.id for one in gone]), tenant=tenant)
    await _count(transaction, scope, gone, -1)
    await tidy_tools(transaction, scope, [call.tool_id for one in gone for call in one.calls])
    await move_state(transaction, scope, replace(state, forgotten=state.forgotten + len(gone)))
    return len(gone)


async def read_uses(
    transaction: Transaction, scope: Scope, after: int, limit: int
) -> list[ToolUse]:
    """Return a page of uses by number."""
    rows = await fetch(transaction, _PAGE, tenant=scope.tenant, after=after, limit=limit)
    return [use_in(row[0]) for row in rows]


async def keep_vectors(
    transaction: Transaction, scope: Scope, vectors: Mapping[int, NDArray[np.float32]]
) -> None:
    """Keep the vectors of requests."""
    rows = [{"number": at, "vector": vector_bytes(one)} for at, one in vectors.items()]
    await fetch_all(transaction, _VECTORS, rows, tenant=scope.tenant)


async def read_habits(transaction: Transaction, scope: Scope) -> Habits:
    """Return all that was counted, as of one state: read again if somebody wrote in between."""
    for _ in range(_TRIES):
        state = await read_state(transaction, scope)
        tools = await fetch(transaction, _TOOL_COUNTS, tenant=scope.tenant)
        pairs = await fetch(transaction, _PAIR_COUNTS, tenant=scope.tenant)
        if state == await read_state(transaction, scope):
            _check_rows((*tools, *pairs))
            return Habits(
                state,
                tuple(ToolCount(*row) for row in sorted(tools)),
                tuple(PairCount(*row) for row in sorted(pairs)),
            )
    raise StoreBusy("Others keep writing to the tool graph.", "Try again.")


def _check_rows(rows: Iterable[Row]) -> None:
    for row in rows:
        if not all(type(one) in (int, str) for one in row):
            raise other_schema("A ToolCount or PairCount in Neo4j was not written by Sextant.")


async def _count(
    transaction: Transaction, scope: Scope, uses: Sequence[ToolUse], times: int
) -> None:
    """Add what uses count for, or take it away; each count is written once."""
    tools = _summed(
        ((one.tool_id, one.user, one.period), (one.sessions, one.shared))
        for use in uses
        for one in tool_counts(use)
    )
    pairs = _summed(
        (
            (one.source, one.target, one.user, one.period),
            (one.together, one.followed, one.timed, one.milliseconds),
        )
        for use in uses
        for one in pair_counts(use)
    )
    for statement, rows in (
        (_COUNT_TOOLS, _rows("tool user period sessions shared", tools, times)),
        (
            _COUNT_PAIRS,
            _rows("source target user period together followed timed milliseconds", pairs, times),
        ),
        (_COUNT_SESSIONS, _session_rows(tools, times)),
        (_JOIN, _together_rows(pairs, times)),
    ):
        await fetch_all(transaction, statement, rows, tenant=scope.tenant)


_Sums = dict[tuple[Any, ...], list[int]]


def _summed(counts: Iterable[tuple[tuple[Any, ...], tuple[int, ...]]]) -> _Sums:
    sums: _Sums = {}
    for key, values in counts:
        before = sums.get(key)
        sums[key] = (
            [one + two for one, two in zip(before, values, strict=True)] if before else [*values]
        )
    return sums


def _rows(names: str, sums: _Sums, times: int) -> list[dict[str, Any]]:
    return [
        dict(zip(names.split(), (*key, *(times * one for one in values)), strict=True))
        for key, values in sorted(sums.items())
    ]


def _session_rows(tools: _Sums, times: int) -> list[dict[str, Any]]:
    sessions = Counter[str]()
    for (tool, _, _), (count, _) in tools.items():
        sessions[tool] += count
    return [{"id": tool, "sessions": times * count} for tool, count in sorted(sessions.items())]


def _together_rows(pairs: _Sums, times: int) -> list[dict[str, Any]]:
    """Return how often two tools were used together; the counts of both directions are the same."""
    together = Counter[tuple[str, str]]()
    for (source, target, _, _), values in pairs.items():
        if source < target:
            together[source, target] += values[0]
    return [
        {"source": source, "target": target, "together": times * count}
        for (source, target), count in sorted(together.items())
    ]
