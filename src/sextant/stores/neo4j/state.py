"""The state of a tenant's tools, which is also what its writers wait for."""

from __future__ import annotations

import secrets

from sextant.stores.neo4j.connection import Row, Transaction, fetch
from sextant.stores.neo4j.refusals import newer_format, other_schema
from sextant.stores.neo4j.schema import FORMAT
from sextant.types import Scope, ToolState

_FIELDS = "graph.format, graph.catalogue, graph.uses, graph.forgotten, graph.history"
_READ = f"MATCH (graph:ToolGraph {{tenant: $tenant}}) RETURN {_FIELDS}"
_LOCK = f"""
MERGE (graph:ToolGraph {{tenant: $tenant}})
ON CREATE SET graph.format = $format, graph.history = $history,
    graph.catalogue = 0, graph.uses = 0, graph.forgotten = 0
SET graph.writes = coalesce(graph.writes, 0) + 1
RETURN {_FIELDS}
"""
_MOVE = """
MATCH (graph:ToolGraph {tenant: $tenant})
SET graph.catalogue = $catalogue, graph.uses = $uses, graph.forgotten = $forgotten
"""


async def read_state(transaction: Transaction, scope: Scope) -> ToolState:
    """Return the state of a tenant, which is empty until something is written."""
    rows = await fetch(transaction, _READ, tenant=scope.tenant)
    return _state_in(rows[0]) if rows else ToolState()


async def lock_state(transaction: Transaction, scope: Scope) -> ToolState:
    """Wait for the tenant's other writers, and return the state that they leave.

    Writing to the node locks it until the transaction ends, so that counts are added to in turn.
    """
    parameters = {"format": FORMAT, "history": secrets.token_hex(8)}
    return _state_in((await fetch(transaction, _LOCK, tenant=scope.tenant, **parameters))[0])


async def move_state(transaction: Transaction, scope: Scope, state: ToolState) -> ToolState:
    """Write the state that the transaction leaves."""
    await fetch(
        transaction,
        _MOVE,
        tenant=scope.tenant,
        catalogue=state.catalogue,
        uses=state.uses,
        forgotten=state.forgotten,
    )
    return state


def _state_in(row: Row) -> ToolState:
    written, catalogue, uses, forgotten, history = row
    if written != FORMAT:
        raise newer_format(written)
    if [*map(type, row)] != [int, int, int, int, str]:
        raise other_schema("A ToolGraph in Neo4j was not written by Sextant.")
    return ToolState(catalogue, uses, forgotten, history)
