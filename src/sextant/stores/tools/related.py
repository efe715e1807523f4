"""Which tools belong to others over one or two edges, and how surely. Knows no engine.

An engine fetches edges hop by hop; what they are worth is reckoned here, so that all engines agree
to the last digit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import NamedTuple

from sextant.stores.tools.paths import worth
from sextant.types import (
    LinkOrigin,
    RelatedQuery,
    RelatedTool,
    RelatedTools,
    Tool,
    ToolLink,
    ToolRelation,
)

HOPS = 2
"""How far related tools may be, as specification 003 has it."""


class Edge(NamedTuple):
    """As much of a relation as a search needs: thousands are followed, a few returned."""

    source: str
    target: str
    kind: str
    worth: float
    required: bool
    together: int
    """Of an edge that is learnt: in how many sessions; 0 where somebody declared it."""


class Step(NamedTuple):
    """An edge, the tool from which it is followed, and as much of its end as its place depends on.

    All in one tuple: a hop from a login that all tools of a server need makes hundreds of them.
    """

    start: str
    source: str
    target: str
    kind: str
    worth: float
    required: bool
    together: int
    end: str
    category: str
    usage: int

    @property
    def edge(self) -> Edge:
        """The edge alone."""
        return Edge(*self[1:7])


class Start(NamedTuple):
    """A tool from which a hop goes out: what the way to it is worth, and whether it is needed."""

    id: str
    worth: float
    needed: bool


Path = tuple[Step, ...]
"""The steps from a given tool to another one."""
Reached = tuple[float, Path]
"""What a path is worth, and the path: one edge counts whole, two count half of their product."""
Hop = Callable[[Sequence[Start], int, float], Iterable[Step]]
"""Fetches the edges of the followed kinds, learnt ones too, from some tools to those that exist.

It gets which hop it is, and how much a path has to be worth: start.worth * edge.worth / hop. An
edge that leads to less may be left out, unless the start is needed and cannot do without its end.
"""


def light_edge(relation: ToolRelation) -> Edge:
    """Return what a search needs of a relation."""
    is_learnt = relation.origin is LinkOrigin.LEARNT
    return Edge(
        *relation.key,
        worth(relation),
        relation.kind is ToolLink.DEPENDS_ON and relation.required,
        relation.co_occurrences or 0 if is_learnt else 0,
    )


def _is_before(path: Path, other: Path) -> bool:
    """Whether a path goes before one that is worth as much: the shorter one, then by keys."""
    one, two = [step[1:4] for step in path], [step[1:4] for step in other]
    return (len(one), one) < (len(two), two)


def _edges_of(path: Path) -> tuple[Edge, ...]:
    return tuple(step.edge for step in path)


@dataclass(frozen=True, slots=True)
class Found:
    """A tool that is among the best, and the path to it."""

    tool: str
    worth: float
    path: tuple[Edge, ...]
    required: bool = False


@dataclass(frozen=True, slots=True)
class Chosen:
    """The best of what was reached, as `RelatedTools` has it; to be filled with whole tools."""

    found: tuple[Found, ...]
    forbidden: tuple[str, ...]
    candidates: int

    @property
    def tools(self) -> list[str]:
        """Their ids."""
        return [one.tool for one in self.found]

    @property
    def edges(self) -> set[Edge]:
        """The edges of all their paths."""
        return {edge for one in self.found for edge in one.path}

    def with_tools(
        self,
        query: RelatedQuery,
        known: Collection[str],
        tools: Mapping[str, Tool],
        relations: Mapping[Edge, ToolRelation],
    ) -> RelatedTools:
        """Return it with the tools and relations that were fetched; what has gone since is not."""
        related = tuple(
            RelatedTool(
                tools[one.tool],
                one.worth,
                tuple(relations[edge] for edge in one.path),
                one.required,
            )
            for one in self.found
            if one.tool in tools and all(edge in relations for edge in one.path)
        )
        return RelatedTools(
            related,
            tuple(tool for tool in dict.fromkeys(query.tool_ids) if tool not in known),
            self.forbidden,
            self.candidates,
            max((len(one.path) for one in related), default=0),
        )


def find_related(query: RelatedQuery, known: Collection[str], hop: Hop) -> Chosen:
    """Return what belongs to those tools of a query that exist."""
    search = RelatedSearch(query, known)
    while starts := search.starts():
        search.follow(hop(starts, search.hop, query.min_confidence))
    return search.chosen()


class RelatedSearch:
    """A walk of two hops from tools that exist; who holds the edges fetches them for each hop."""

    def __init__(self, query: RelatedQuery, known: Collection[str]) -> None:
        self._query, self._known, self.hop = query, frozenset(known), 1
        self._seen: dict[str, Step] = {}
        """Some step to each tool that was reached: what it says of its end."""
        self._all: dict[str, Reached] = {}
        self._needed: dict[str, Reached] = {}

    def starts(self) -> list[Start]:
        """Return the tools from which the next hop can still lead to something."""
        if self.hop > HOPS:
            return []
        if self.hop == 1:
            return [Start(tool, 1.0, True) for tool in sorted(self._known)]
        return [
            Start(tool, worth, tool in self._needed)
            for tool, (worth, _) in self._all.items()
            if worth / self.hop >= self._query.min_confidence or tool in self._needed
        ]

    def follow(self, steps: Iterable[Step]) -> None:
        """Go one hop on; a tool that is given is never reached."""
        before, needed, start = dict(self._all), dict(self._needed), (1.0, ())
        for step in steps:
            if step.end in self._known:
                continue
            self._seen[step.end] = step
            one = step.start
            self._reach(self._all, before.get(one, start), step)
            if step.required and step.source == one and (one in self._known or one in needed):
                self._reach(self._needed, needed.get(one, start), step)
        self.hop += 1

    def _reach(self, best: dict[str, Reached], way: Reached, step: Step) -> None:
        """Keep a way to a tool if it is worth more than the one before, or as much and shorter."""
        worth = way[0] * step.worth / self.hop
        before = best.get(step.end)
        if before is not None and worth < before[0]:
            return
        path = (*way[1], step)
        if before is None or worth > before[0] or _is_before(path, before[1]):
            best[step.end] = worth, path

    def chosen(self) -> Chosen:
        """Return the best of what was reached."""
        needed, allowed, least = self._needed, self._allowed(), self._query.min_confidence
        required = [
            Found(tool, worth, _edges_of(path), required=True)
            for tool, (worth, path) in needed.items()
            if tool in allowed and self._is_open(path, allowed)
        ]
        required.sort(key=lambda one: (len(one.path), *self._place(one.tool, one.worth)))
        names = {one.tool for one in required}
        others = [
            self._place(tool, worth)
            for tool, (worth, _) in self._all.items()
            if worth >= least and tool in allowed and tool not in names
        ]
        best = nsmallest(max(0, self._query.max_related - len(required)), others)
        return Chosen(
            (*required, *(self._found(tool) for _, _, tool in best)),
            tuple(sorted(tool for tool in needed if tool not in allowed)),
            len(required) + len(others),
        )

    def _found(self, tool: str) -> Found:
        worth, path = self._all[tool]
        return Found(tool, worth, _edges_of(path))

    def _allowed(self) -> Mapping[str, Step]:
        allowed = self._query.allowed_categories
        if allowed is None:
            return self._seen
        return {tool: own for tool, own in self._seen.items() if own.category in allowed}

    def _is_open(self, path: Path, allowed: Collection[str]) -> bool:
        """Whether no tool on the way to a required one is forbidden: else it is not required."""
        return all(step.source in allowed or step.source in self._known for step in path)

    def _place(self, tool: str, worth: float) -> tuple[float, int, str]:
        """Return what tools are sorted by: confidence, then usage, then their ids."""
        return -worth, -self._seen[tool].usage, tool
