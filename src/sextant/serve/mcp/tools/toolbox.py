"""Tools about tools: the few that a request needs, what belongs to some, and how they are used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pydantic import Field

from sextant.retrieval.events import Emit
from sextant.serve.caller import Role, Wanted
from sextant.serve.mcp.tool import Plain, Tool
from sextant.serve.mcp.tools.toolbox_text import (
    alternatives_text,
    related_text,
    selection_text,
    stats_text,
)
from sextant.serve.wire.common.models import Id, PersonaIds, Request, Wire
from sextant.serve.wire.toolbox.learning import (
    Increment,
    RecordedReply,
    UsageReply,
    UseShape,
    recorded_of,
)
from sextant.serve.wire.toolbox.nouns import tool_stats_of
from sextant.serve.wire.toolbox.selecting import (
    ALLOWED,
    BUDGET,
    Categories,
    Count,
    TokenBudget,
    ToolEnhancing,
    ToolSelecting,
    allowed,
    alternatives_of,
    related_of,
    selection_of,
)
from sextant.toolbox.learn.recording import RecordedUses
from sextant.types import (
    AlternativeTool,
    RelatedQuery,
    RelatedTools,
    Scope,
    Selection,
    ToolRequest,
    ToolStats,
    ToolUse,
)


class ToolChooser(Protocol):
    """What these tools ask of the toolbox."""

    async def select(self, scope: Scope, request: str | ToolRequest) -> Selection:
        """Return the tools that a request needs."""

    async def enhance(self, scope: Scope, query: RelatedQuery) -> RelatedTools:
        """Return tools that belong to some tools."""

    async def find_alternatives(
        self,
        scope: Scope,
        tool_id: str,
        allowed_categories: frozenset[str] | None = None,
        limit: int = 10,
    ) -> Sequence[AlternativeTool]:
        """Return what can stand in for a tool."""

    async def record_known_uses(self, scope: Scope, uses: Sequence[ToolUse]) -> RecordedUses:
        """Record sessions of tool calls."""

    async def update_usage(self, scope: Scope, tool_id: str, increment: int = 1) -> int:
        """Add to the usage of a tool."""

    async def graph_stats(self, scope: Scope) -> ToolStats:
        """Count the tools."""


class ForCaller(Request):
    """For whom it is asked, as briefly as it can be listed: else as all personas of the caller."""

    tenant_id: Id | None = None
    persona_ids: PersonaIds | None = None

    @property
    def wanted(self) -> Wanted:
        """For whom it says that it asks."""
        return Wanted(self.tenant_id or "", frozenset(self.persona_ids or ()))


class Allowing(Request):
    """Of which categories the tools may be."""

    allowed_categories: Categories | None = ALLOWED


class Selecting(Allowing):
    """Of which categories the tools may be, and how long."""

    token_budget: TokenBudget | None = BUDGET


class SelectTools(ToolSelecting, ForCaller):
    """What somebody wants done."""

    context: Selecting | None = None

    @property
    def subject(self) -> str:
        """What is wanted."""
        return self.query


class EnhanceTools(ToolEnhancing, ForCaller):
    """Tools that were found."""

    @property
    def subject(self) -> str:
        """Which tools it names."""
        return ", ".join(self.tools)


class FindAlternatives(ForCaller):
    """A tool for which another one is wanted."""

    tool: Id
    limit: Count = 10
    context: Allowing | None = None

    @property
    def subject(self) -> str:
        """Which tool it names."""
        return self.tool


class RecordToolUse(UseShape, ForCaller):
    """A session of tool calls."""

    @property
    def subject(self) -> str:
        """Which tools it names."""
        return ", ".join(self.tools)


class UpdateToolUsage(ForCaller):
    """A tool that was used."""

    tool: Id
    increment: Increment = 1

    @property
    def subject(self) -> str:
        """Which tool it names."""
        return self.tool


class ToolGraphStats(ForCaller):
    """Whose tools."""

    @property
    def subject(self) -> str:
        """Nothing in particular."""
        return ""


class Picked(Wire):
    """The tools in the order of use, as models read them, and what was left out."""

    tools: list[object] = Field(description="With id, definition, reasons, flags and tokens.")
    left_out: list[object] = Field(description="With tool and reason.")
    warnings: list[str]
    tokens: int


class Related(Wire):
    """The required first, then the surest."""

    related_tools: list[object] = Field(description="With id, confidence, required and path.")
    unknown: list[str]
    forbidden: list[str]


class Alternatives(Wire):
    """The surest first."""

    alternatives: list[object] = Field(description="With id, confidence and reason.")


class Counts(Wire):
    """How large the tool graph is."""

    tools: int
    categories: dict[str, object]
    relations: dict[str, object]
    uses: int
    most_used: list[object]


def tools(toolbox: ToolChooser, *, remembers: bool = True) -> Sequence[Tool]:
    """Return the tools; where nothing is to be written, those that record are not among them."""
    return (*_finding(toolbox), *(_recording(toolbox) if remembers else ()))


def _finding(toolbox: ToolChooser) -> Sequence[Tool]:
    async def select(scope: Scope, request: SelectTools, _: Emit) -> Plain:
        own = request.context
        limits = (own.allowed_categories, own.token_budget) if own else (None, None)
        asked = request.tool_request(*limits)
        return selection_of(await toolbox.select(scope, asked))

    async def enhance(scope: Scope, request: EnhanceTools, _: Emit) -> Plain:
        return related_of(await toolbox.enhance(scope, request.related_query))

    async def find(scope: Scope, request: FindAlternatives, _: Emit) -> Plain:
        categories = allowed(request.context.allowed_categories if request.context else None)
        found = await toolbox.find_alternatives(scope, request.tool, categories, request.limit)
        return alternatives_of(found)

    async def count(scope: Scope, _: ToolGraphStats, __: Emit) -> Plain:
        return tool_stats_of(await toolbox.graph_stats(scope))

    return (
        Tool(
            "select_tools",
            "Select tools",
            "Returns the few tools of the catalogue that a request needs together, in order, with "
            "their definitions and reasons, within a token budget.",
            SelectTools,
            Picked,
            Role.SEARCH,
            select,
            text=selection_text,
        ),
        Tool(
            "enhance_tools",
            "Find related tools",
            "Returns tools that belong to those you have: what they require, then what is often "
            "used with them.",
            EnhanceTools,
            Related,
            Role.SEARCH,
            enhance,
            text=related_text,
        ),
        Tool(
            "find_alternatives",
            "Find alternatives",
            "Returns tools that can stand in for one that is unavailable, the surest first.",
            FindAlternatives,
            Alternatives,
            Role.SEARCH,
            find,
            text=alternatives_text,
        ),
        Tool(
            "tool_graph_stats",
            "Count tools",
            "Counts the tools of the catalogue, their categories, relations and uses.",
            ToolGraphStats,
            Counts,
            Role.READ,
            count,
            text=stats_text,
        ),
    )


def _recording(toolbox: ToolChooser) -> Sequence[Tool]:
    async def record(scope: Scope, request: RecordToolUse, _: Emit) -> Plain:
        use = request.tool_use(scope.user)
        return recorded_of([use], await toolbox.record_known_uses(scope, [use]))

    async def update(scope: Scope, request: UpdateToolUsage, _: Emit) -> Plain:
        usage = await toolbox.update_usage(scope, request.tool, request.increment)
        return {"tool": request.tool, "usageCount": usage}

    return (
        Tool(
            "record_tool_use",
            "Record tool use",
            "Records which tools were called for a request, in order; later selections learn from "
            "it.",
            RecordToolUse,
            RecordedReply,
            Role.SEARCH,
            record,
            remembers=True,
        ),
        Tool(
            "update_tool_usage",
            "Count a tool's use",
            "Adds to how often a tool was used, without a request to learn from.",
            UpdateToolUsage,
            UsageReply,
            Role.SEARCH,
            update,
            remembers=True,
        ),
    )
