"""What edges between tools are worth, and who stands in for whom. Knows no engine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from sextant.types import AlternativeTool, LinkOrigin, Tool, ToolLink, ToolRelation

SUPPORT = 2
"""How often two tools must have been used together before that joins them: pairs that were seen
once made selection worse than no graph on two public sets."""
MOST_USED = 10
"""So many tools are named in statistics: one look at a screen."""
FOLLOWED = (ToolLink.OFTEN_USED_WITH, ToolLink.DEPENDS_ON)
"""The kinds of edges that lead to related tools."""

Tools = Callable[[Collection[str]], Mapping[str, Tool]]
"""Fetches those of some tools that the scope sees."""


def worth(relation: ToolRelation) -> float:
    """Return what an edge is worth; who says nothing of it means it."""
    return 1.0 if relation.confidence is None else relation.confidence


def learnt_edge(one: str, two: str, together: int, usage: Mapping[str, int]) -> ToolRelation | None:
    """Return the edge between two tools that were used together often enough."""
    most = max(usage.get(one, 0), usage.get(two, 0))
    if together < SUPPORT or not most:
        return None
    source, target = sorted((one, two))
    return ToolRelation(
        source,
        target,
        ToolLink.OFTEN_USED_WITH,
        min(1.0, together / most),
        together,
        origin=LinkOrigin.LEARNT,
    )


def without_doubles(edges: Iterable[ToolRelation]) -> list[ToolRelation]:
    """Return edges by their keys, a learnt one only where nobody declared the same."""
    unique = {edge.key: edge for edge in edges}
    declared = {
        frozenset(key[:2])
        for key, edge in unique.items()
        if edge.kind is ToolLink.OFTEN_USED_WITH and edge.origin is not LinkOrigin.LEARNT
    }
    return [
        edge
        for _, edge in sorted(unique.items())
        if edge.origin is not LinkOrigin.LEARNT
        or frozenset((edge.source, edge.target)) not in declared
    ]


def best_alternatives(
    tool_id: str,
    relations: Iterable[ToolRelation],
    tools: Tools,
    allowed: frozenset[str] | None,
    limit: int,
) -> list[AlternativeTool]:
    """Return who can stand in for a tool, by relations that touch it."""
    own = [one for one in relations if one.kind is ToolLink.ALTERNATIVE_TO]
    other = {one.key: one.target if one.source == tool_id else one.source for one in own}
    seen = tools(set(other.values()))
    found: dict[str, AlternativeTool] = {}
    for one in sorted(own, key=lambda one: (-worth(one), one.key)):
        tool = seen.get(other[one.key])
        if tool and (allowed is None or tool.category in allowed):
            found.setdefault(tool.id, AlternativeTool(tool, worth(one), one.reason))
    order = sorted(found.values(), key=lambda one: (-one.confidence, -one.tool.usage, one.tool.id))
    return order[:limit]


def with_usage(tool: Tool, usage: int) -> Tool:
    """Return a tool with how often it was used by now."""
    return tool if tool.usage == usage else replace(tool, usage=usage)
