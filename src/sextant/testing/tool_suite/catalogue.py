"""What is written to a catalogue is there, for whom it is meant, and goes without a trace."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from sextant.errors import InvalidInput, NotFound
from sextant.ports import ToolGraph
from sextant.testing.store_suite.checks import refused
from sextant.testing.tool_suite.opening import DRAWN, SCOPE, OpenedGraph, edge, tool
from sextant.types import Category, Scope, StoredTool, ToolChange


class CataloguePromises(OpenedGraph):
    """Tools, categories and relations."""

    def test_tools_come_back_as_they_were_written(self, tmp_path: Path) -> None:
        """All fields, the vectors too, in the order of their ids and in pages."""

        async def task(graph: ToolGraph) -> None:
            vectors = np.eye(2, 4, dtype=np.float32)
            one = tool("a.one", "code", 7, "sre")
            whole = replace(
                one.tool, entity_ids=("service-a",), flags=("steers",), returns={"x": 1}
            )
            change = ToolChange((tool("b.two"), StoredTool(whole, vectors)))
            await graph.change_tools(SCOPE, change)
            seen = Scope("tools", frozenset({"sre"}))
            first, second = await graph.read_tools(seen)
            assert first.tool == whole
            assert first.vectors is not None
            assert first.vectors.tolist() == vectors.tolist()
            assert second.tool.id == "b.two"
            assert [one.tool.id for one in await graph.read_tools(seen, "a.one")] == ["b.two"]
            assert [one.tool.id for one in await graph.read_tools(seen, limit=1)] == ["a.one"]

        self.with_graph(tmp_path, task)

    def test_a_tool_exists_only_for_its_personas_and_tenant(self, tmp_path: Path) -> None:
        """Its relations are not seen either."""

        async def task(graph: ToolGraph) -> None:
            secret = tool("a.secret", "code", 0, "sre")
            relations = (edge("a.open", "DEPENDS_ON", "a.secret"),)
            await graph.change_tools(SCOPE, ToolChange((tool("a.open"), secret), (), (), relations))
            assert [one.tool.id for one in await graph.read_tools(SCOPE)] == ["a.open"]
            assert not await graph.tools(SCOPE, ["a.secret"])
            assert not await graph.relations(SCOPE)
            assert (await graph.tool_stats(SCOPE)).tools == 1
            assert await graph.relations(Scope("tools", frozenset({"sre"}))) == [*relations]
            assert not await graph.read_tools(Scope("another"))
            await refused(NotFound, graph.add_usage(SCOPE, {"a.secret": 1}))
            await refused(NotFound, graph.alternatives(SCOPE, "a.secret"))

        self.with_graph(tmp_path, task)

    def test_a_tool_that_goes_takes_its_relations_with_it(self, tmp_path: Path) -> None:
        """And what is related to a tool that is not there counts once it comes."""

        async def task(graph: ToolGraph) -> None:
            await graph.change_tools(SCOPE, DRAWN)
            before = await graph.state(SCOPE)
            gone = ToolChange(removed=("github.createPullRequest",))
            after = await graph.change_tools(SCOPE, gone)
            assert after.catalogue > before.catalogue
            assert {one.key[:2] for one in await graph.relations(SCOPE)} == {
                ("github.mergePullRequest", "jira.createIssue"),
                ("slack.sendMessage", "teams.sendMessage"),
            }
            ahead = edge("slack.sendMessage", "DEPENDS_ON", "slack.login")
            await graph.change_tools(SCOPE, ToolChange(relations=(ahead,)))
            assert (await graph.tool_stats(SCOPE)).relations.get("DEPENDS_ON", 0) == 0
            await graph.change_tools(SCOPE, ToolChange((tool("slack.login", "chat"),)))
            assert (await graph.tool_stats(SCOPE)).relations["DEPENDS_ON"] == 1
            await graph.change_tools(SCOPE, ToolChange(unrelated=(ahead.key,)))
            assert ahead not in await graph.relations(SCOPE)

        self.with_graph(tmp_path, task)

    def test_what_cannot_be_is_refused_whole(self, tmp_path: Path) -> None:
        """Nothing of a refused change is there."""

        async def task(graph: ToolGraph) -> None:
            itself = ToolChange((tool("a.one"),), relations=(edge("a", "PRECEDES", "a"),))
            await refused(InvalidInput, graph.change_tools(SCOPE, itself))
            twice = ToolChange((tool("a.one"), tool("a.one")))
            await refused(InvalidInput, graph.change_tools(SCOPE, twice))
            unsure = ToolChange((), relations=(edge("a", "PRECEDES", "b", 1.5),))
            await refused(InvalidInput, graph.change_tools(SCOPE, unsure))
            assert not await graph.read_tools(SCOPE)

        self.with_graph(tmp_path, task)

    def test_statistics_count_what_there_is(self, tmp_path: Path) -> None:
        """Tools by category, relations by kind, and who is used most."""

        async def task(graph: ToolGraph) -> None:
            described = (Category("code", "Repositories and reviews"),)
            await graph.change_tools(SCOPE, replace(DRAWN, categories=described))
            stats = await graph.tool_stats(SCOPE)
            assert stats.tools == 8
            assert stats.categories == {"chat": 2, "code": 5, "project": 1}
            assert stats.relations == {
                "ALTERNATIVE_TO": 2,
                "DEPENDS_ON": 1,
                "OFTEN_USED_WITH": 3,
                "PRECEDES": 1,
            }
            assert stats.most_used[:2] == (
                ("github.authenticate", 900),
                ("github.createPullRequest", 850),
            )
            assert [*await graph.categories(SCOPE)] == [*described]

        self.with_graph(tmp_path, task)
