"""Tools in Neo4j are, call by call, what they are in memory, and writers do not lose anything."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sextant.errors import TooLarge
from sextant.limits import Limits
from sextant.ports import ToolGraph
from sextant.settings import NEO4J_PASSWORD_VARIABLE, Settings
from sextant.stores.memory.store import open_store as open_memory
from sextant.testing.tool_suite.opening import DRAWN, edge, tool, use
from sextant.types import Scope, ToolChange
from tests.peers.fixtures import Bolt
from tests.stores.neo4j.opening import graph_of, new_scope, run_cypher, settings_for
from tests.stores.test_tools import STEPS, read_all

_PULL, _ISSUE = "github.createPullRequest", "jira.createIssue"


@pytest.fixture(autouse=True)
def _password(bolt: Bolt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NEO4J_PASSWORD_VARIABLE, bolt.password)


@pytest.fixture
def graph(bolt: Bolt) -> Iterator[tuple[asyncio.Runner, ToolGraph]]:
    """A graph that stays open from one example to the next, with the loop that it is open in."""
    with asyncio.Runner() as runner:
        opened = graph_of(settings_for(bolt))
        yield runner, runner.run(opened.__aenter__())
        runner.run(opened.__aexit__(None, None, None))


# Each example has a tenant of its own; one takes a second or two.
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, min_size=4, max_size=8))
def test_neo4j_agrees_with_memory(
    graph: tuple[asyncio.Runner, ToolGraph], steps: list[tuple[str, Any]]
) -> None:
    runner, tools = graph
    scope = new_scope()

    async def run() -> None:
        memory = await open_memory("", Settings(), None)
        assert memory.tools
        for name, value in steps:
            for each in (memory.tools, tools):
                await getattr(each, name)(scope, value)
        for who in (scope, replace(scope, personas=frozenset({"sre"}))):
            assert await read_all(tools, who) == await read_all(memory.tools, who)
        await memory.admin.close()

    runner.run(run())


async def _nodes(bolt: Bolt, scope: Scope) -> dict[str, int]:
    counted = "MATCH (n) WHERE n.tenant = $tenant UNWIND labels(n) AS label RETURN label, count(*)"
    return {row[0]: row[1] for row in await run_cypher(bolt, counted, tenant=scope.tenant)}


def test_what_is_removed_and_forgotten_leaves_nothing_behind(bolt: Bolt) -> None:
    async def run() -> None:
        scope = new_scope()
        async with graph_of(settings_for(bolt)) as graph:
            await graph.change_tools(scope, DRAWN)
            await graph.record_uses(scope, [use("s1", _PULL, _ISSUE, "t.unknown")])
            ahead = edge(_PULL, "PRECEDES", "t.later")
            await graph.change_tools(scope, ToolChange(relations=(ahead,)))
            assert await _nodes(bolt, scope) == {
                "Tool": 10,
                "Category": 3,
                "ToolUse": 1,
                "ToolCount": 3,
                "PairCount": 6,
                "ToolGraph": 1,
            }
            await graph.forget_uses(scope, ["s1"])
            gone = ToolChange(
                removed=tuple(one.tool.id for one in DRAWN.puts), unrelated=(ahead.key,)
            )
            await graph.change_tools(scope, gone)
            assert await _nodes(bolt, scope) == {"ToolGraph": 1}

    asyncio.run(run())


def test_a_change_that_finds_no_room_is_undone(bolt: Bolt) -> None:
    async def run() -> None:
        scope = new_scope()
        narrow = replace(settings_for(bolt), limits=Limits(tools=1))
        async with graph_of(narrow) as graph:
            await graph.change_tools(scope, ToolChange((tool("a"),)))
            before = await graph.state(scope)
            with pytest.raises(TooLarge):
                await graph.change_tools(scope, ToolChange((tool("b"),), ("c",)))
            assert [one.tool.id for one in await graph.read_tools(scope)] == ["a"]
            assert await graph.state(scope) == before

    asyncio.run(run())


def test_writers_at_once_lose_nothing(bolt: Bolt) -> None:
    async def run() -> None:
        scope = new_scope()
        async with graph_of(settings_for(bolt)) as graph:
            await graph.change_tools(scope, DRAWN)
            await asyncio.gather(
                *(graph.record_uses(scope, [use(f"s{at}", _PULL, _ISSUE)]) for at in range(5)),
                *(graph.add_usage(scope, {_ISSUE: 1}) for _ in range(5)),
            )
            habits = await graph.habits(scope)
            assert [one.sessions for one in habits.tools] == [5, 5]
            assert [one.number for one in await graph.read_uses(scope)] == [1, 2, 3, 4, 5]
            assert (await graph.tools(scope, [_ISSUE]))[_ISSUE].tool.usage == 510

    asyncio.run(run())


def test_the_scheme_with_routing_reaches_a_single_server(bolt: Bolt) -> None:
    async def run() -> None:
        scope = new_scope()
        routed = replace(bolt, url=bolt.url.replace("bolt://", "neo4j://"))
        async with graph_of(settings_for(routed)) as graph:
            await graph.change_tools(scope, ToolChange((tool("a"),)))
            assert [one.tool.id for one in await graph.read_tools(scope)] == ["a"]

    asyncio.run(run())
