"""Which tools belong to others over one or two edges, and how surely. Knows no engine.

An engine fetches edges and tools; what they are worth is reckoned here, so that every engine which
cannot walk by itself agrees with the others to the last digit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
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

HOPS = 2
"""How far related tools may be, as specification 003 has it."""
Path = tuple[ToolRelation, ...]
"""The edges from a given tool to another one."""
Edges = Callable[[Collection[str]], Iterable[ToolRelation]]
"""Fetches all edges of the followed kinds, learnt ones too, that touch some tools."""
Tools = Callable[[Collection[str]], Mapping[str, Tool]]
"""Fetches those of some tools that the scope sees."""


def worth(relation: ToolRelation) -> float:
    """Return what an edge is worth; who says nothing of it means it."""
    return 1.0 if relation.confidence is None else relation.confidence


def path_worth(path: Path) -> float:
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
class _Reached:
    """What was reached from the given tools, over which path."""

    given: frozenset[str]
    best: dict[str, Path] = field(default_factory=dict)

    def reach(self, tool: str, path: Path) -> None:
        """Keep a path to a tool if it is worth more than the one before, or as much and shorter."""
        if tool in self.given:
            return
        before = self.best.get(tool)
        if before is None or _order(path) < _order(before):
            self.best[tool] = path


def _order(path: Path) -> tuple[float, int, list[tuple[str, str, str]]]:
    return -path_worth(path), len(path), [edge.key for edge in path]


def find_related(query: RelatedQuery, edges: Edges, tools: Tools) -> RelatedTools:
    """Return what belongs to the tools of a query, the required first, then the surest."""
    search = RelatedSearch(query, tools(query.tool_ids))
    while starts := search.starts():
        found = without_doubles(edges(starts))
        search.follow(found, tools(_ends(starts, found)))
    return search.chosen()


class RelatedSearch:
    """A walk of two hops from tools that exist; who holds the edges fetches them for each hop."""

    def __init__(self, query: RelatedQuery, known: Mapping[str, Tool]) -> None:
        self._query, self._known, self._hop = query, known, 0
        self._seen: dict[str, Tool] = {}
        self._all, self._needed = _Reached(frozenset(known)), _Reached(frozenset(known))

    def starts(self) -> dict[str, Path]:
        """Return the tools from which the next hop can still lead to something, and their paths."""
        if self._hop == 0:
            return dict.fromkeys(self._known, ())
        if self._hop == HOPS:
            return {}
        return {
            tool: path
            for tool, path in self._all.best.items()
            if path_worth(path) / 2 >= self._query.min_confidence or self.needs(tool)
        }

    def needs(self, tool: str) -> bool:
        """Whether a tool is given, or required by one that is."""
        return tool in self._known or tool in self._needed.best

    def follow(self, edges: Iterable[ToolRelation], ends: Mapping[str, Tool]) -> None:
        """Go one hop on, over edges of where it starts, to those of their ends that exist."""
        starts = self.starts()
        self._hop += 1
        self._seen |= ends
        for one, two, edge in _steps(starts, edges):
            if two not in ends:
                continue
            self._all.reach(two, (*starts[one], edge))
            if _is_required(edge, one) and self.needs(one):
                self._needed.reach(two, (*self._needed.best.get(one, ()), edge))

    def chosen(self) -> RelatedTools:
        """Return the best of what was reached."""
        query, needed = self._query, self._needed
        allowed = {tool: own for tool, own in self._seen.items() if _is_allowed(own, query)}
        required = [
            RelatedTool(allowed[tool], path_worth(path), path, required=True)
            for tool, path in needed.best.items()
            if tool in allowed and _is_open(path, allowed, needed.given)
        ]
        names = {one.tool.id for one in required}
        others = [
            RelatedTool(allowed[tool], path_worth(path), path)
            for tool, path in self._all.best.items()
            if tool in allowed and tool not in names and path_worth(path) >= query.min_confidence
        ]
        room = max(0, query.max_related - len(required))
        chosen = (*sorted(required, key=_by_depth), *sorted(others, key=_by_confidence)[:room])
        return RelatedTools(
            chosen,
            tuple(tool for tool in dict.fromkeys(query.tool_ids) if tool not in self._known),
            tuple(sorted(tool for tool in needed.best if tool not in allowed)),
            len(required) + len(others),
            max((len(one.path) for one in chosen), default=0),
        )


def _steps(
    starts: Collection[str], edges: Iterable[ToolRelation]
) -> Iterator[tuple[str, str, ToolRelation]]:
    """Yield from where to where each edge leads, in both directions."""
    for edge in edges:
        if edge.source in starts:
            yield edge.source, edge.target, edge
        if edge.target in starts:
            yield edge.target, edge.source, edge


def _ends(starts: Collection[str], edges: Iterable[ToolRelation]) -> set[str]:
    return {two for _, two, _ in _steps(starts, edges)}


def _is_required(edge: ToolRelation, source: str) -> bool:
    return edge.kind is ToolLink.DEPENDS_ON and edge.required and edge.source == source


def _is_allowed(tool: Tool, query: RelatedQuery) -> bool:
    return query.allowed_categories is None or tool.category in query.allowed_categories


def _is_open(path: Path, allowed: Mapping[str, Tool], given: frozenset[str]) -> bool:
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
