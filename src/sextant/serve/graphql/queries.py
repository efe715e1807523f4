"""What can be asked without a run: whether anybody is there, which agents, and how a thread stands.

The library's executor answers, and tells of the schema, too.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any, cast

from graphql import (
    DocumentNode,
    ExecutionResult,
    GraphQLResolveInfo,
    experimental_execute_incrementally,
)
from graphql.language import DirectiveNode, visit
from graphql.language.visitor import REMOVE, Visitor, VisitorAction

from sextant.errors import AgentNotFound
from sextant.serve.graphql.documents import Document
from sextant.serve.graphql.failures import execution_error
from sextant.serve.graphql.messages import thread_json
from sextant.serve.graphql.runs import Copilot
from sextant.types import Scope

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Root:
    """Resolves the fields of `Query`."""

    copilot: Copilot
    enter: Callable[[str, str], Scope]
    hello: str = "Hello World"

    async def availableAgents(self, _: GraphQLResolveInfo[Any]) -> dict[str, Any]:  # noqa: N802 - the schema's
        """Return the agents, each under its name."""
        agents = await self.copilot.agents(self.enter("list agents", ""))
        told = [
            {"id": one.name, "name": one.name, "description": one.description} for one in agents
        ]
        return {"agents": told}

    async def loadAgentState(  # noqa: N802 - the schema's
        self, _: GraphQLResolveInfo[Any], data: dict[str, str]
    ) -> dict[str, Any]:
        """Return how a thread stands; one of somebody else does not exist."""
        thread_id, agent = data["threadId"], data["agentName"]
        scope = self.enter("load agent state", thread_id)
        known = [one.name for one in await self.copilot.agents(scope)]
        if agent not in known:
            there = ", ".join(known)
            raise AgentNotFound(f"There is no agent {agent[:80]!r}.", f"There are: {there}.")
        found = await self.copilot.load_state(scope, thread_id, agent)
        return {
            "threadId": found.thread_id,
            "threadExists": found.exists,
            "state": found.state,
            "messages": thread_json(found.messages),
        }


async def answer_query(
    document: Document, root: Root, variables: dict[str, Any], request_id: str
) -> dict[str, Any]:
    """Return what a query comes to, whole."""
    name = document.operation.name
    # The usual executor refuses a schema that has directives for parts, whether used or not.
    result = experimental_execute_incrementally(
        document.schema,
        _whole(document.node),
        root_value=root,
        variable_values=variables,
        operation_name=name.value if name else None,
    )
    told = cast(ExecutionResult, await result if isawaitable(result) else result)
    if not told.errors:
        return {"data": told.data}
    for error in told.errors:
        _log.debug("A query failed.", exc_info=error.original_error)
    return {"errors": [execution_error(one, request_id) for one in told.errors], "data": told.data}


def _whole(node: DocumentNode) -> DocumentNode:
    """Return a document without what asks for parts: what is asked here comes at once."""
    whole: DocumentNode = visit(node, _Undivided())
    return whole


class _Undivided(Visitor):
    def enter_directive(self, node: DirectiveNode, *_: object) -> VisitorAction:
        return REMOVE if node.name.value in ("defer", "stream") else None
