"""Which tools belong to others over one or two edges, and how surely. Knows no engine.

An engine fetches edges and tools; what they are worth is reckoned here, so that every engine which
cannot walk by itself agrees with the others to the last digit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from sextant.types import (
    AlternativeTool,
    LinkOrigin,
    RelatedQuery,
    RelatedTool,
    RelatedTools,
    Tool,
    ToolLink,
    ToolRelation,
)

SUPPORT = 2
"""How often two tools must have been used together before that joins them: pairs that were seen
once made selection worse than no graph on two public sets."""
MOST_USED = 10
"""So many tools are named in statistics: one look at a screen."""
FOLLOWED = (ToolLink.OFTEN_USED_WITH, ToolLink.DEPENDS_ON)
"""The kinds of edges that lead to related tools."""

Edges = Callable[[Collection[str]], Iterable[ToolRelation]]
"""Fetches all edges of the followed kinds, learnt ones too, that touch some tools."""
Tools = Callable[[Collection[str]], Mapping[str, Tool]]
"""Fetches those of some tools that the scope sees."""


def worth(relation: ToolRelation) -> float:
    """Return what an edge is worth; who says nothing of it means it."""
    return 1.0 if relation.confidence is None else relation.confidence


def path_worth(path: tuple[ToolRelation, ...]) -> float:
    """Return what one or two edges are worth: the edge, or half of the product."""
    return worth(path[0]) if len(path) == 1 else worth(path[0]) * worth(path[1]) / 2


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


@dataclass(slots=True)
class _Search:
    """What was reached from the given tools, over which path."""

    given: frozenset[str]
    best: dict[str, tuple[ToolRelation, ...]] = field(default_factory=dict)

    def reach(self, tool: str, path: tuple[ToolRelation, ...]) -> None:
        """Keep a path to a tool if it is worth more than the one before, or as much and shorter."""
        if tool in self.given:
            return
        before = self.best.get(tool)
        if before is None or _order(path) < _order(before):
            self.best[tool] = path


def _order(path: tuple[ToolRelation, ...]) -> tuple[float, int, list[tuple[str, str, str]]]:
    return -path_worth(path), len(path), [edge.key for edge in path]


def find_related(query: RelatedQuery, edges: Edges, tools: Tools) -> RelatedTools:
    """Return what belongs to the tools of a query, the required first, then the surest."""
    known = tools(query.tool_ids)
    unknown = tuple(tool for tool in dict.fromkeys(query.tool_ids) if tool not in known)
    search, needed = _Search(frozenset(known)), _Search(frozenset(known))
    first = without_doubles(edges(known))
    near = _step(search, needed, dict.fromkeys(known, ()), first, tools)
    wide = {
        tool: search.best[tool]
        for tool in near
        if path_worth(search.best[tool]) / 2 >= query.min_confidence or tool in needed.best
    }
    if wide:
        _step(search, needed, wide, without_doubles(edges(wide)), tools)
    return _chosen(query, search, needed, tools, unknown)


def _step(
    search: _Search,
    needed: _Search,
    start: Mapping[str, tuple[ToolRelation, ...]],
    edges: Iterable[ToolRelation],
    tools: Tools,
) -> set[str]:
    """Go one edge on from where the search stands, over tools that exist; return who is there."""
    steps = [
        (one, two, edge)
        for edge in edges
        for one, two in ((edge.source, edge.target), (edge.target, edge.source))
        if one in start
    ]
    seen = tools({two for _, two, _ in steps})
    for one, two, edge in steps:
        if two not in seen:
            continue
        search.reach(two, (*start[one], edge))
        if _is_required(edge, one) and (not start[one] or one in needed.best):
            needed.reach(two, (*needed.best.get(one, ()), edge))
    return {two for _, two, _ in steps if two in search.best}


def _is_required(edge: ToolRelation, source: str) -> bool:
    return edge.kind is ToolLink.DEPENDS_ON and edge.required and edge.source == source


def _chosen(
    query: RelatedQuery,
    search: _Search,
    needed: _Search,
    tools: Tools,
    unknown: tuple[str, ...],
) -> RelatedTools:
    seen = tools(search.best.keys() | needed.best.keys())
    allowed = {tool: own for tool, own in seen.items() if _is_allowed(own, query)}
    required = [
        RelatedTool(allowed[tool], path_worth(path), path, required=True)
        for tool, path in needed.best.items()
        if tool in allowed and _is_open(path, allowed, needed.given)
    ]
    names = {one.tool.id for one in required}
    others = [
        RelatedTool(allowed[tool], path_worth(path), path)
        for tool, path in search.best.items()
        if tool in allowed and tool not in names and path_worth(path) >= query.min_confidence
    ]
    room = max(0, query.max_related - len(required))
    chosen = (*sorted(required, key=_by_depth), *sorted(others, key=_by_confidence)[:room])
    return RelatedTools(
        chosen,
        unknown,
        tuple(sorted(tool for tool in needed.best if tool not in allowed)),
        len(required) + len(others),
        max((len(one.path) for one in chosen), default=0),
    )


def _is_allowed(tool: Tool, query: RelatedQuery) -> bool:
    return query.allowed_categories is None or tool.category in query.allowed_categories


def _is_open(
    path: tuple[ToolRelation, ...], allowed: Mapping[str, Tool], given: frozenset[str]
) -> bool:
    """Whether no tool on the way to a required one is forbidden: then it is not required at all."""
    return all(edge.source in allowed or edge.source in given for edge in path)


def _by_depth(one: RelatedTool) -> tuple[int, float, int, str]:
    return len(one.path), *_by_confidence(one)


def _by_confidence(one: RelatedTool) -> tuple[float, int, str]:
    return -one.confidence, -one.tool.usage, one.tool.id


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
