"""The two tools of a gateway: one finds tools, one calls them. Knows shapes, no server."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from sextant.core.gateway import Gateway
from sextant.retrieval.events import Emit
from sextant.serve.caller import Role
from sextant.serve.house import Visit
from sextant.serve.mcp.tool import Plain, Tool
from sextant.serve.mcp.tools.toolbox import ForCaller, Picked
from sextant.serve.mcp.tools.toolbox_text import selection_text
from sextant.serve.wire.common.models import Id, Words
from sextant.serve.wire.toolbox.selecting import BUDGET, Count, TokenBudget, selection_of
from sextant.types import Scope, ToolRequest

SEARCH = "search_tools"
CALL = "call_tool"


class SearchTools(ForCaller):
    """What somebody wants done."""

    query: Words = Field(description="What is to be done, with all its steps.")
    max_tools: Count = 5
    token_budget: TokenBudget | None = BUDGET

    @property
    def subject(self) -> str:
        """What is wanted."""
        return self.query


class CallTool(ForCaller):
    """A tool, and what it is to be called with."""

    name: Id = Field(description="As search_tools returned it.")
    arguments: dict[str, Any] = Field({}, description="As its definition says.")

    @property
    def subject(self) -> str:
        """Which tool it names."""
        return self.name


def search_tool(gateway: Gateway, visit: Visit) -> Tool:
    """Return the tool that finds others, for a visit."""

    async def search(scope: Scope, request: SearchTools, _: Emit) -> Plain:
        own = ToolRequest(request.query, request.max_tools, request.token_budget)
        return selection_of(await gateway.search(scope, caller_of(visit, scope), own))

    return Tool(
        SEARCH,
        "Search tools",
        "Finds the few tools that a request needs together, in order, with their definitions. Say "
        f"all that is to be done in one query, then call each of them by {CALL}.",
        SearchTools,
        Picked,
        Role.SEARCH,
        search,
        text=selection_text,
    )


def call_tool(gateway: Gateway, visit: Visit) -> Tool:
    """Return the tool that calls others, for a visit; what it returns is the other tool's own."""

    async def call(scope: Scope, request: CallTool, _: Emit) -> Plain:
        caller = caller_of(visit, scope)
        return await gateway.call(scope, caller, request.name, request.arguments)

    return Tool(
        CALL,
        "Call a tool",
        f"Calls a tool that {SEARCH} found, by its id, with the arguments of its definition.",
        CallTool,
        None,
        Role.CALL,
        call,
        writes=True,
        destroys=True,
        remembers=True,
    )


def caller_of(visit: Visit, scope: Scope) -> tuple[str, str]:
    """Return whose calls belong together."""
    return visit.caller.name, scope.user or ""
