"""What belongs to a tool: the worked example of specification 003, and its rules one by one."""

from __future__ import annotations

from pathlib import Path

from sextant.ports import ToolGraph
from sextant.testing.tool_suite.opening import DRAWN, SCOPE, OpenedGraph, edge, tool, use
from sextant.types import LinkOrigin, RelatedQuery, RelatedTools, ToolChange

_PULL = "github.createPullRequest"


def _shown(related: RelatedTools) -> list[tuple[str, float]]:
    return [(one.tool.id, round(one.confidence, 6)) for one in related.tools]


class PathPromises(OpenedGraph):
    """Related tools and alternatives."""

    def test_the_worked_example_comes_out_as_drawn(self, tmp_path: Path) -> None:
        """The required first, then the surest two."""

        async def task(graph: ToolGraph) -> None:
            await graph.change_tools(SCOPE, DRAWN)
            related = await graph.related(SCOPE, RelatedQuery((_PULL,)))
            assert _shown(related) == [
                ("github.authenticate", 1.0),
                ("github.mergePullRequest", 0.92),
                ("jira.createIssue", 0.72),
            ]
            assert [one.required for one in related.tools] == [True, False, False]
            assert (related.found, related.depth) == (3, 1)

        self.with_graph(tmp_path, task)

    def test_two_hops_are_worth_half_of_their_product(self, tmp_path: Path) -> None:
        """In either direction; an edge without a confidence is worth 1."""

        async def task(graph: ToolGraph) -> None:
            puts = tuple(tool(f"t.{name}") for name in "abcd")
            relations = (
                edge("t.b", "OFTEN_USED_WITH", "t.a", 0.9),
                edge("t.b", "OFTEN_USED_WITH", "t.c", 0.8),
                edge("t.d", "DEPENDS_ON", "t.a", required=False),
            )
            await graph.change_tools(SCOPE, ToolChange(puts, relations=relations))
            related = await graph.related(SCOPE, RelatedQuery(("t.a",), None, 9, 0.3))
            assert _shown(related) == [("t.d", 1.0), ("t.b", 0.9), ("t.c", 0.36)]
            assert related.depth == 2
            assert _shown(await graph.related(SCOPE, RelatedQuery(("t.a",)))) == [
                ("t.d", 1.0),
                ("t.b", 0.9),
            ]
            given = RelatedQuery(("t.a", "t.b", "t.lost"), None, 9, 0.1)
            both = await graph.related(SCOPE, given)
            assert _shown(both) == [("t.d", 1.0), ("t.c", 0.8)]
            assert both.unknown == ("t.lost",)

        self.with_graph(tmp_path, task)

    def test_required_tools_are_never_cut_and_take_the_room_of_others(self, tmp_path: Path) -> None:
        """Whatever they are worth; one in a forbidden category is named instead."""

        async def task(graph: ToolGraph) -> None:
            puts = (*(tool(f"t.{name}") for name in "abcdef"), tool("t.x", "other"))
            relations = (
                *(edge("t.a", "DEPENDS_ON", f"t.{name}") for name in "bcd"),
                edge("t.d", "DEPENDS_ON", "t.e"),
                edge("t.a", "DEPENDS_ON", "t.x"),
                edge("t.a", "OFTEN_USED_WITH", "t.f", 0.99),
            )
            await graph.change_tools(SCOPE, ToolChange(puts, relations=relations))
            query = RelatedQuery(("t.a",), frozenset({"code"}), 3, 0.9)
            related = await graph.related(SCOPE, query)
            assert [one.tool.id for one in related.tools] == ["t.b", "t.c", "t.d", "t.e"]
            assert all(one.required for one in related.tools)
            assert related.forbidden == ("t.x",)
            roomy = RelatedQuery(("t.a",), frozenset({"code"}), 5, 0.9)
            assert (await graph.related(SCOPE, roomy)).tools[-1].tool.id == "t.f"

        self.with_graph(tmp_path, task)

    def test_what_is_required_is_at_most_two_hops_away(self, tmp_path: Path) -> None:
        """Also where the tool in between is near for another reason."""

        async def task(graph: ToolGraph) -> None:
            puts = tuple(tool(f"t.{name}") for name in "abcd")
            relations = (
                *(edge(f"t.{one}", "DEPENDS_ON", f"t.{two}") for one, two in ("ab", "bc", "cd")),
                edge("t.a", "OFTEN_USED_WITH", "t.c"),
            )
            await graph.change_tools(SCOPE, ToolChange(puts, relations=relations))
            related = await graph.related(SCOPE, RelatedQuery(("t.a",)))
            assert _shown(related) == [("t.b", 1.0), ("t.c", 0.5), ("t.d", 0.5)]
            assert [one.required for one in related.tools] == [True, True, False]
            assert related.depth == 2

        self.with_graph(tmp_path, task)

    def test_cycles_of_dependencies_end(self, tmp_path: Path) -> None:
        """Each tool comes once, the given ones not at all."""

        async def task(graph: ToolGraph) -> None:
            puts = tuple(tool(f"t.{name}") for name in "abc")
            relations = tuple(
                edge(f"t.{one}", "DEPENDS_ON", f"t.{two}") for one, two in ("ab", "bc", "ca")
            )
            await graph.change_tools(SCOPE, ToolChange(puts, relations=relations))
            related = await graph.related(SCOPE, RelatedQuery(("t.a",)))
            assert _shown(related) == [("t.b", 1.0), ("t.c", 0.5)]

        self.with_graph(tmp_path, task)

    def test_use_joins_tools_from_the_second_time_on(self, tmp_path: Path) -> None:
        """With co-occurrences over the larger usage; who declared an edge is believed first."""

        async def task(graph: ToolGraph) -> None:
            puts = (tool("t.a"), tool("t.b"), tool("t.c"))
            declared = edge("t.b", "OFTEN_USED_WITH", "t.c", 0.1)
            await graph.change_tools(SCOPE, ToolChange(puts, relations=(declared,)))
            await graph.record_uses(SCOPE, [use("s1", "t.a", "t.b", "t.c")])
            query = RelatedQuery(("t.b",), None, 9, 0.05)
            assert _shown(await graph.related(SCOPE, query)) == [("t.c", 0.1)]
            await graph.record_uses(SCOPE, [use("s2", "t.b", "t.a"), use("s3", "t.b"), use("s4")])
            related = await graph.related(SCOPE, query)
            assert _shown(related) == [("t.a", 0.666667), ("t.c", 0.1)]
            assert related.tools[0].path[0].origin is LinkOrigin.LEARNT
            assert related.tools[0].path[0].co_occurrences == 2
            assert (await graph.tool_stats(SCOPE)).relations == {"OFTEN_USED_WITH": 2}

        self.with_graph(tmp_path, task)

    def test_alternatives_are_found_from_either_side(self, tmp_path: Path) -> None:
        """The surest first, within the categories that are allowed."""

        async def task(graph: ToolGraph) -> None:
            await graph.change_tools(SCOPE, DRAWN)
            (one,) = await graph.alternatives(SCOPE, "gitlab.createMergeRequest")
            assert (one.tool.id, one.confidence, one.reason) == (_PULL, 0.9, "GitLab equivalent")
            assert not await graph.alternatives(SCOPE, _PULL, frozenset({"chat"}))

        self.with_graph(tmp_path, task)
