"""Which tools are wanted, and which come back: the requests and replies of every door."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from sextant.limits import DEFAULT
from sextant.serve.wire.common.models import WHOLE, Id, Request, Unit, Wire, Words
from sextant.serve.wire.toolbox.nouns import ToolShape, tool_of
from sextant.types import (
    AlternativeTool,
    PredictedTool,
    RelatedQuery,
    RelatedTools,
    SelectedTool,
    Selection,
    Tool,
    ToolRequest,
)

MOST_TOOLS = 100
"""So many tools a request may ask for; a model picks well among fewer."""
LARGEST_BUDGET = 1_000_000
"""Tokens; no model reads more."""

ToolIds = Annotated[list[Id], Field(min_length=1, max_length=MOST_TOOLS)]
Categories = Annotated[list[Id], Field(max_length=MOST_TOOLS)]
OtherTools = Annotated[list[Id], Field(max_length=DEFAULT.values)]
Count = Annotated[int, Field(ge=1, le=MOST_TOOLS), WHOLE]


TokenBudget = Annotated[int, Field(ge=1, le=LARGEST_BUDGET), WHOLE]
ALLOWED: Any = Field(None, description="Else all.")
BUDGET: Any = Field(None, description="For all definitions.")


class ToolSelecting(Request):
    """What somebody wants done."""

    query: Words = Field(description="What is to be done.")
    max_tools: Count = 5
    excluded_tools: OtherTools = Field([])
    unavailable_tools: OtherTools = Field([], description="Others stand in.")

    def tool_request(
        self, allowed_categories: Sequence[str] | None, token_budget: int | None
    ) -> ToolRequest:
        """Return the request as the core takes it, with what its context allows."""
        return ToolRequest(
            self.query,
            self.max_tools,
            token_budget,
            allowed(allowed_categories),
            frozenset(self.excluded_tools),
            frozenset(self.unavailable_tools),
        )


class ToolEnhancing(Request):
    """Tools that were found, and which others of those that belong to them are wanted."""

    tools: ToolIds
    allowed_categories: Categories | None = ALLOWED
    max_related_tools: Annotated[int, Field(ge=0, le=MOST_TOOLS), WHOLE] = 3
    min_confidence: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.5

    @property
    def related_query(self) -> RelatedQuery:
        """The request as the core takes it."""
        return RelatedQuery(
            tuple(dict.fromkeys(self.tools)),
            allowed(self.allowed_categories),
            self.max_related_tools,
            self.min_confidence,
        )


class SelectedToolShape(Wire):
    """A tool that is needed: how it is to be shown to a model, and why it is here."""

    id: str
    name: str
    category: str
    server: str
    flags: list[str]
    definition: str = Field(description="As `detail` says: JSON, or a line.")
    detail: str
    tokens: int
    score: float
    rank: int
    required_by: list[str]
    reasons: list[str]


class LeftOutShape(Wire):
    """A tool that matches and is not among them, and why."""

    tool: str
    because: str
    reason: str


class SelectionReply(Wire):
    """The tools in the order of use."""

    tools: list[SelectedToolShape]
    left_out: list[LeftOutShape]
    warnings: list[str]
    clauses: list[str]
    tokens: int


class RelatedToolShape(ToolShape):
    """A tool that belongs to those that were given, how surely, and over which tools."""

    confidence: float
    required: bool
    path: list[str]


class EnhanceReply(Wire):
    """The required first, then the surest; what was asked for in vain or is not allowed."""

    related_tools: list[RelatedToolShape]
    unknown: list[str]
    forbidden: list[str]


class AlternativeShape(ToolShape):
    """A tool that can stand in for another one."""

    confidence: float
    reason: str


class AlternativesReply(Wire):
    """What can stand in, the surest first."""

    alternatives: list[AlternativeShape]


class PredictedShape(ToolShape):
    """A tool that is likely to be called next."""

    probability: Unit
    seconds_between: float | None
    reason: str


class NextReply(Wire):
    """What is likely to be called next, the likeliest first."""

    tools: list[PredictedShape]


class ToolPathReply(Wire):
    """The tools on the shortest way, both ends among them; empty where there is none."""

    tools: list[ToolShape]


def allowed(categories: Sequence[str] | None) -> frozenset[str] | None:
    """Return the categories that are allowed; none given, or none listed, is all."""
    return frozenset(categories) if categories else None


def selection_of(selection: Selection) -> dict[str, Any]:
    """Return a selection as plain values."""
    return {
        "tools": [_selected(one) for one in selection.tools],
        "leftOut": [
            {"tool": one.tool_id, "because": one.because.value, "reason": one.reason}
            for one in selection.left_out
        ],
        "warnings": list(selection.warnings),
        "clauses": list(selection.clauses),
        "tokens": selection.tokens,
    }


def related_of(found: RelatedTools) -> dict[str, Any]:
    """Return related tools as plain values."""
    return {
        "relatedTools": [
            {
                **tool_of(one.tool),
                "confidence": one.confidence,
                "required": one.required,
                "path": [f"{edge.source} {edge.kind} {edge.target}" for edge in one.path],
            }
            for one in found.tools
        ],
        "unknown": list(found.unknown),
        "forbidden": list(found.forbidden),
    }


def alternatives_of(found: Sequence[AlternativeTool]) -> dict[str, Any]:
    """Return alternatives as plain values."""
    told = [
        {**tool_of(one.tool), "confidence": one.confidence, "reason": one.reason} for one in found
    ]
    return {"alternatives": told}


def next_of(found: Sequence[PredictedTool]) -> dict[str, Any]:
    """Return what is likely to come next as plain values."""
    told = [
        {
            **tool_of(one.tool),
            "probability": one.probability,
            "secondsBetween": one.seconds_between,
            "reason": one.reason,
        }
        for one in found
    ]
    return {"tools": told}


def tool_path_of(found: Sequence[Tool]) -> dict[str, Any]:
    """Return a way through the tools as plain values."""
    return {"tools": [tool_of(one) for one in found]}


def _selected(one: SelectedTool) -> dict[str, Any]:
    return {
        "id": one.tool.id,
        "name": one.tool.name,
        "category": one.tool.category,
        "server": one.tool.server,
        "flags": list(one.tool.flags),
        "definition": one.text,
        "detail": one.detail.value,
        "tokens": one.tokens,
        "score": one.score,
        "rank": one.rank,
        "requiredBy": list(one.required_by),
        "reasons": list(one.reasons),
    }
