"""Tools and their relations on the wire: models, and nouns as plain values."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from sextant.serve.wire.common.models import Unit, Wire
from sextant.serve.wire.knowledge import moment_of
from sextant.types import Tool, ToolRelation, ToolStats

KindName = Literal[
    "DEPENDS_ON",
    "OFTEN_USED_WITH",
    "PRECEDES",
    "ALTERNATIVE_TO",
    "REPLACES",
    "MUTUALLY_EXCLUSIVE",
    "OPTIMIZES",
    "VALIDATES",
]
"""The names of ``ToolLink``, which a query can be checked against."""


class ToolShape(Wire):
    """A tool. Its texts are data: flags say what in them is suspicious."""

    id: str = Field(examples=["github.createPullRequest"])
    name: str
    category: str
    description: str
    server: str
    flags: list[str]
    usage_count: int


class ToolsPage(Wire):
    """Some tools by id, and where the next ones are."""

    tools: list[ToolShape]
    next: str | None = Field(description="The address of the next page; none after the last.")


class ToolRelationShape(Wire):
    """How one tool belongs to another; what does not apply to its kind is null."""

    source: str
    kind: str = Field(examples=["DEPENDS_ON"])
    target: str
    confidence: Unit | None
    required: bool
    reason: str
    co_occurrences: int | None
    avg_time_between: float | None = Field(description="Seconds.")
    version: str
    deprecated_at: str | None
    origin: str = Field(description="`declared`, `imported` or `learnt`.")


class ToolPage(ToolShape):
    """A tool with its schemas, who may see it, and what was said of how it is related."""

    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    source: str = Field(description="The import that it came with.")
    personas: list[str]
    entity_ids: list[str]
    relations: list[ToolRelationShape]


class UsedMost(Wire):
    """A tool, and how often it was used."""

    tool: str
    usage_count: int


class ToolStatsShape(Wire):
    """How large the tool graph is, and which tools are used most."""

    tools: int
    categories: dict[str, int]
    relations: dict[str, int]
    uses: int
    most_used: list[UsedMost]


def tool_of(tool: Tool) -> dict[str, Any]:
    """Return a tool as plain values, without its schemas."""
    return {
        "id": tool.id,
        "name": tool.name,
        "category": tool.category,
        "description": tool.description,
        "server": tool.server,
        "flags": list(tool.flags),
        "usageCount": tool.usage,
    }


def tool_page_of(tool: Tool, relations: list[ToolRelation]) -> dict[str, Any]:
    """Return all of a tool as plain values."""
    return {
        **tool_of(tool),
        "inputSchema": dict(tool.schema),
        "outputSchema": dict(tool.returns),
        "source": tool.source,
        "personas": sorted(tool.personas),
        "entityIds": list(tool.entity_ids),
        "relations": [tool_relation_of(one) for one in relations],
    }


def tool_relation_of(relation: ToolRelation) -> dict[str, Any]:
    """Return how two tools belong together as plain values."""
    return {
        "source": relation.source,
        "kind": relation.kind.value,
        "target": relation.target,
        "confidence": relation.confidence,
        "required": relation.required,
        "reason": relation.reason,
        "coOccurrences": relation.co_occurrences,
        "avgTimeBetween": relation.seconds_between,
        "version": relation.version,
        "deprecatedAt": moment_of(relation.deprecated_at),
        "origin": relation.origin.value,
    }


def tool_stats_of(stats: ToolStats) -> dict[str, Any]:
    """Return statistics as plain values."""
    return {
        "tools": stats.tools,
        "categories": dict(stats.categories),
        "relations": dict(stats.relations),
        "uses": stats.uses,
        "mostUsed": [{"tool": tool, "usageCount": count} for tool, count in stats.most_used],
    }
