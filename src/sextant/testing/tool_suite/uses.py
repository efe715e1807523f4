"""What is recorded of uses adds up in any order, and is forgotten exactly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from sextant.ports import ToolGraph
from sextant.testing.tool_suite.opening import DRAWN, SCOPE, START, OpenedGraph, use
from sextant.types import Habits, Outcome, ToolUse, UsedTool

_AUTH, _PULL = "github.authenticate", "github.createPullRequest"
_MERGE = "github.mergePullRequest"


def _counted(habits: Habits) -> tuple[object, object]:
    return habits.tools, habits.pairs


class UsePromises(OpenedGraph):
    """Sessions, counts and usage."""

    def test_a_session_is_counted_once(self, tmp_path: Path) -> None:
        """By its tools, its pairs and its steps, however often its id comes."""

        async def task(graph: ToolGraph) -> None:
            await graph.change_tools(SCOPE, DRAWN)
            one = use("s1", _AUTH, _PULL, _AUTH, _PULL, seconds=30)
            assert await graph.record_uses(SCOPE, [one]) == 1
            assert await graph.record_uses(SCOPE, [one, use("s2", _AUTH)]) == 1
            habits = await graph.habits(SCOPE)
            assert [(each.tool_id, each.sessions, each.shared) for each in habits.tools] == [
                (_AUTH, 2, 1),
                (_PULL, 1, 1),
            ]
            there, back = habits.pairs
            assert (there.source, there.together, there.followed) == (_AUTH, 1, 1)
            assert (there.timed, there.milliseconds) == (1, 30_000)
            assert (back.source, back.followed) == (_PULL, 1)
            assert (await graph.tools(SCOPE, [_AUTH]))[_AUTH].tool.usage == 902
            assert [each.id for each in await graph.read_uses(SCOPE)] == ["s1", "s2"]

        self.with_graph(tmp_path, task)

    def test_counts_do_not_depend_on_the_order_and_are_taken_back_exactly(
        self, tmp_path: Path
    ) -> None:
        """Another order of sessions, and more that are forgotten again, change nothing."""

        async def task(graph: ToolGraph) -> None:
            uses = [use("s1", _AUTH, _PULL), use("s2", _PULL, _MERGE, user="ann"), use("s3", _PULL)]
            other = replace(SCOPE, tenant="backwards")
            for one in uses:
                await graph.record_uses(SCOPE, [one])
            await graph.record_uses(other, [use("more", _PULL, _MERGE, _AUTH), *reversed(uses)])
            assert await graph.forget_uses(other, ["more", "unknown"]) == 1
            assert _counted(await graph.habits(other)) == _counted(await graph.habits(SCOPE))
            assert (await graph.state(other)).forgotten == 1
            assert await graph.forget_uses(other, ["s1", "s2", "s3"]) == 3
            assert _counted(await graph.habits(other)) == ((), ())

        self.with_graph(tmp_path, task)

    def test_what_failed_teaches_nothing_but_that_it_was_tried(self, tmp_path: Path) -> None:
        """No pair, and no session that is shared."""

        async def task(graph: ToolGraph) -> None:
            calls = (UsedTool(_AUTH), UsedTool(_PULL))
            await graph.record_uses(SCOPE, [ToolUse("s1", calls, at=START, outcome=Outcome.FAILED)])
            habits = await graph.habits(SCOPE)
            assert not habits.pairs
            assert [(one.sessions, one.shared) for one in habits.tools] == [(1, 0), (1, 0)]

        self.with_graph(tmp_path, task)

    def test_requests_come_back_with_their_vectors(self, tmp_path: Path) -> None:
        """As they were recorded, or as they were kept later."""

        async def task(graph: ToolGraph) -> None:
            vector = np.array([0.6, 0.8], np.float32)
            await graph.record_uses(SCOPE, [use("s1", _AUTH), replace(use("s2"), vector=vector)])
            first, second = await graph.read_uses(SCOPE)
            assert first.vector is None
            assert second.vector is not None
            assert second.vector.tolist() == vector.tolist()
            await graph.keep_vectors(SCOPE, {first.number: vector, 999: vector})
            kept = (await graph.read_uses(SCOPE, limit=1))[0]
            assert kept.vector is not None
            assert (kept.request, kept.calls, kept.at) == (first.request, first.calls, START)
            assert [one.id for one in await graph.read_uses(SCOPE, first.number)] == ["s2"]

        self.with_graph(tmp_path, task)

    def test_usage_is_added_to_and_survives_a_new_description(self, tmp_path: Path) -> None:
        """A tool that is written again keeps how often it was used."""

        async def task(graph: ToolGraph) -> None:
            await graph.change_tools(SCOPE, DRAWN)
            assert await graph.add_usage(SCOPE, {_PULL: 5, _AUTH: 0}) == {_PULL: 855, _AUTH: 900}
            await graph.change_tools(SCOPE, DRAWN)
            assert (await graph.tools(SCOPE, [_PULL]))[_PULL].tool.usage == 855

        self.with_graph(tmp_path, task)
