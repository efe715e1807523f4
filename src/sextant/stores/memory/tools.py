"""What a tenant has of tools, in dicts."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sextant.stores.tools.counting import pair_counts, tool_counts
from sextant.stores.tools.paths import FOLLOWED, learnt_edge, with_usage, without_doubles
from sextant.stores.tools.related import Start, Step, light_edge
from sextant.types import (
    Category,
    Habits,
    PairCount,
    Scope,
    StoredTool,
    Tool,
    ToolChange,
    ToolCount,
    ToolRelation,
    ToolState,
    ToolUse,
    is_open_to,
)


@dataclass
class ToolDicts:
    """Tools by id, relations by key, uses by number; what is counted is counted when asked for."""

    state: ToolState = field(default_factory=lambda: ToolState(history=secrets.token_hex(8)))
    tools: dict[str, StoredTool] = field(default_factory=dict)
    categories: dict[str, Category] = field(default_factory=dict)
    relations: dict[tuple[str, str, str], ToolRelation] = field(default_factory=dict)
    uses: dict[int, ToolUse] = field(default_factory=dict)

    def change(self, change: ToolChange) -> None:
        """Do all of a change."""
        for one in change.puts:
            before = self.tools.get(one.tool.id)
            kept = with_usage(one.tool, before.tool.usage) if before else one.tool
            self.tools[one.tool.id] = replace(one, tool=kept)
        for tool in change.removed:
            self.tools.pop(tool, None)
        gone = {key for key in self.relations if not {*key[:2]}.isdisjoint(change.removed)}
        for key in gone.union(change.unrelated):
            self.relations.pop(key, None)
        self.relations |= {one.key: one for one in change.relations}
        self.categories |= {one.name: one for one in change.categories}
        self.state = replace(self.state, catalogue=self.state.catalogue + 1)

    def record(self, uses: Iterable[ToolUse]) -> int:
        """Take in uses that are new, and return how many are."""
        known = {one.id for one in self.uses.values()}
        new = [one for one in uses if one.id not in known]
        for one in new:
            number = self.state.uses + 1
            self.uses[number] = replace(one, number=number)
            self.state = replace(self.state, uses=number)
        return len(new)

    def forget(self, ids: Collection[str]) -> int:
        """Take uses back, and return how many there were."""
        gone = [number for number, one in self.uses.items() if one.id in ids]
        for number in gone:
            del self.uses[number]
        self.state = replace(self.state, forgotten=self.state.forgotten + len(gone))
        return len(gone)

    def habits(self) -> Habits:
        """Count all uses."""
        tools: dict[tuple[str, str, int], ToolCount] = {}
        pairs: dict[tuple[str, str, str, int], PairCount] = {}
        for use in self.uses.values():
            for one in tool_counts(use):
                key = one.tool_id, one.user, one.period
                tools[key] = _add_tool(tools.get(key), one)
            for pair in pair_counts(use):
                place = pair.source, pair.target, pair.user, pair.period
                pairs[place] = _add_pair(pairs.get(place), pair)
        return Habits(
            self.state,
            tuple(one for _, one in sorted(tools.items())),
            tuple(pair for _, pair in sorted(pairs.items())),
        )

    def usage(self) -> Counter[str]:
        """Return how often each tool was used, those that are not there any more too."""
        counted = Counter(one.tool_id for use in self.uses.values() for one in tool_counts(use))
        counted.update({name: one.tool.usage for name, one in self.tools.items()})
        return counted

    def seen(self, scope: Scope) -> dict[str, StoredTool]:
        """Return the tools that exist for a scope, in order, with their usage."""
        usage = self.usage()
        return {
            name: replace(one, tool=with_usage(one.tool, usage[name]))
            for name, one in sorted(self.tools.items())
            if scope.sees_all or is_open_to(scope.personas, one.tool.personas)
        }

    def edges(self, tools: Collection[str]) -> list[ToolRelation]:
        """Return the edges that lead to related tools and touch some tools."""
        declared = [
            one
            for one in self.relations.values()
            if one.kind in FOLLOWED and (one.source in tools or one.target in tools)
        ]
        usage, together = self.usage(), Counter[tuple[str, str]]()
        for pair in self.habits().pairs:
            if pair.source in tools:
                together[pair.source, pair.target] += pair.together
        learnt = (learnt_edge(*key, times, usage) for key, times in together.items())
        return declared + [edge for edge in learnt if edge]

    def steps(self, starts: Iterable[Start], seen: Mapping[str, StoredTool]) -> Iterator[Step]:
        """Yield where these edges lead from some tools, as far as that is seen."""
        names = {start.id for start in starts}
        for edge in without_doubles(self.edges(names)):
            for one, two in ((edge.source, edge.target), (edge.target, edge.source)):
                if one in names and two in seen:
                    end = seen[two].tool
                    yield Step(one, *light_edge(edge), two, end.category, end.usage)


def tools_of(seen: Mapping[str, StoredTool], ids: Collection[str]) -> dict[str, Tool]:
    """Return those of some tools that are seen."""
    return {name: seen[name].tool for name in ids if name in seen}


def _add_tool(before: ToolCount | None, one: ToolCount) -> ToolCount:
    if before is None:
        return one
    return replace(
        before, sessions=before.sessions + one.sessions, shared=before.shared + one.shared
    )


def _add_pair(before: PairCount | None, one: PairCount) -> PairCount:
    if before is None:
        return one
    return replace(
        before,
        together=before.together + one.together,
        followed=before.followed + one.followed,
        timed=before.timed + one.timed,
        milliseconds=before.milliseconds + one.milliseconds,
    )
