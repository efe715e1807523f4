"""A Neo4j that is down, hangs, refuses or is somebody else's: typed errors, and no address."""

import asyncio
import socket
import sys
from dataclasses import replace

import pytest

from sextant import build
from sextant.errors import (
    ConfigError,
    FormatMismatch,
    MissingExtra,
    NotAStore,
    PeerRefused,
    PeerUnreachable,
    SextantError,
    StoreClosed,
)
from sextant.settings import NEO4J_PASSWORD_VARIABLE, Neo4jSettings, Settings, ToolboxSettings
from sextant.testing.tool_suite.opening import edge, tool
from sextant.types import Category, Chunk, Document, Put, RelatedQuery, Scope, ToolChange
from tests.peers.fixtures import Bolt
from tests.stores.neo4j.opening import graph_of, new_scope, run_cypher, settings_for


@pytest.fixture(autouse=True)
def _password(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "bolt" in request.fixturenames:
        monkeypatch.setenv(NEO4J_PASSWORD_VARIABLE, request.getfixturevalue("bolt").password)


def _closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        port: int = one.getsockname()[1]
    return port


def _settings(port: int) -> Settings:
    quick = Neo4jSettings(retry_seconds=0.0, read_seconds=1.0, write_seconds=1.0)
    graph = ToolboxSettings(f"bolt://127.0.0.1:{port}")
    return Settings(store="memory:", embedder="tiny:16", toolbox=graph, neo4j=quick)


async def _refusal(settings: Settings) -> SextantError:
    async with graph_of(settings) as graph:
        with pytest.raises(SextantError) as reading:
            await graph.state(Scope())
        with pytest.raises(type(reading.value)):
            await graph.change_tools(Scope(), ToolChange((tool("a"),)))
    return reading.value


def test_a_database_that_is_down_is_told_without_its_address() -> None:
    port = _closed_port()
    error = asyncio.run(_refusal(_settings(port)))
    assert isinstance(error, PeerUnreachable)
    assert str(port) not in str(error)
    assert "127.0.0.1" not in str(error)


def test_a_database_that_never_answers_is_not_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        error = asyncio.run(_refusal(_settings(silent.getsockname()[1])))
    assert isinstance(error, PeerUnreachable)


def test_everything_else_works_while_the_tools_are_down() -> None:
    async def run() -> None:
        async with await build.open_sextant(_settings(_closed_port())) as sextant:
            put = Put(Document("d", "Pods"), (Chunk("d#1", "restart the pods"),))
            await sextant.write(Scope(), [put])
            found = await sextant.search(Scope(), "pods")
            assert [hit.passage.chunk.id for hit in found.hits] == ["d#1"]
            answer = await sextant.ask(Scope(), "how to restart the pods?")
            assert answer.citations

    asyncio.run(run())


@pytest.mark.parametrize(
    "address",
    ["bolt://", "bolt://user:secret@host", "bolt://host/neo4j", "bolt://host:x", "neo4j://h?a=b"],
)
def test_an_address_is_a_host_and_a_port(address: str) -> None:
    with pytest.raises(ConfigError, match="neo4j://host:7687") as refused:
        asyncio.run(build.open_store(Settings(store="memory:", toolbox=ToolboxSettings(address))))
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("scheme", ["neo4j", "neo4j+s", "bolt", "bolt+s"])
def test_without_the_driver_the_extra_is_named(
    scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in [name for name in sys.modules if name.startswith("sextant.stores.neo4j")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "neo4j", None)
    chosen = Settings(store="memory:", toolbox=ToolboxSettings(f"{scheme}://host:7687"))
    with pytest.raises(MissingExtra, match=r"sextant\[neo4j\]"):
        asyncio.run(build.open_store(chosen))


def test_a_wrong_password_is_told_as_such(bolt: Bolt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NEO4J_PASSWORD_VARIABLE, "wrong")
    error = asyncio.run(_refusal(settings_for(bolt)))
    assert isinstance(error, PeerRefused)
    assert "SEXTANT_NEO4J_PASSWORD" in error.hint


def test_a_database_that_does_not_exist_is_a_wrong_setting(bolt: Bolt) -> None:
    error = asyncio.run(_refusal(settings_for(bolt, database="nosuch")))
    assert isinstance(error, ConfigError)


def test_a_graph_that_was_closed_says_so(bolt: Bolt) -> None:
    async def run() -> None:
        async with graph_of(settings_for(bolt)) as graph:
            await graph.close()
            with pytest.raises(StoreClosed):
                await graph.state(Scope())

    asyncio.run(run())


def test_tools_of_specification_003_are_read_once_they_have_a_tenant(bolt: Bolt) -> None:
    async def run() -> None:
        scope = new_scope()
        made = """
        CREATE (a:Tool {tenant: $tenant, id: 'a', name: 'A', category: 'code', usageCount: 3})
        CREATE (b:Tool {tenant: $tenant, id: 'b', category: 'code'})
        CREATE (:Tool {id: 'nobody'})
        CREATE (a)-[:DEPENDS_ON]->(b)
        CREATE (a)-[:REPLACES {version: 'v2', deprecatedAt: '2024-01-01'}]->(b)
        """
        await run_cypher(bolt, made, tenant=scope.tenant)
        async with graph_of(settings_for(bolt)) as graph:
            assert [one.tool.id for one in await graph.read_tools(scope)] == ["a", "b"]
            (one,) = (await graph.related(scope, RelatedQuery(("a",)))).tools
            assert (one.tool.id, one.required) == ("b", True)
            replaces = (await graph.relations(scope))[1]
            assert replaces.deprecated_at
            assert replaces.deprecated_at.year == 2024
            assert await graph.add_usage(scope, {"a": 1, "b": 1}) == {"a": 4, "b": 1}

    asyncio.run(run())


@pytest.mark.parametrize(
    "properties",
    ["name: 1", "schema: '[]'", "schema: '{'", "flags: [1]", "vectors: 'x'"],
)
def test_a_tool_of_another_schema_is_refused(bolt: Bolt, properties: str) -> None:
    async def run() -> None:
        scope = new_scope()
        made = f"CREATE (:Tool {{tenant: $tenant, id: 'a', {properties}}})"
        await run_cypher(bolt, made, tenant=scope.tenant)
        async with graph_of(settings_for(bolt)) as graph:
            with pytest.raises(NotAStore, match="In Neo4j") as refused:
                await graph.read_tools(scope)
            assert "neo4j.database" in refused.value.hint

    asyncio.run(run())


def test_a_newer_format_is_not_written_to(bolt: Bolt) -> None:
    async def run() -> None:
        scope = new_scope()
        async with graph_of(settings_for(bolt)) as graph:
            await graph.change_tools(scope, ToolChange((tool("a"),)))
            newer = "MATCH (g:ToolGraph {tenant: $tenant}) SET g.format = 2"
            await run_cypher(bolt, newer, tenant=scope.tenant)
            with pytest.raises(FormatMismatch):
                await graph.state(scope)
            with pytest.raises(FormatMismatch):
                await graph.change_tools(scope, ToolChange((tool("b"),)))
            assert [one.tool.id for one in await graph.read_tools(scope)] == ["a"]

    asyncio.run(run())


def test_a_rule_of_somebody_else_is_told_and_nothing_is_written(bolt: Bolt) -> None:
    async def run() -> None:
        scope = new_scope()
        rule = "FOR (c:Category) REQUIRE c.description IS UNIQUE"
        await run_cypher(bolt, f"CREATE CONSTRAINT others IF NOT EXISTS {rule}")
        try:
            async with graph_of(settings_for(bolt)) as graph:
                await run_cypher(bolt, "CREATE (:Category {name: 'x', description: 'taken'})")
                taken = ToolChange((tool("a"),), relations=(edge("a", "PRECEDES", "b"),))
                described = replace(taken, categories=(Category("code", "taken"),))
                with pytest.raises(NotAStore):
                    await graph.change_tools(scope, described)
                assert not await graph.read_tools(scope)
                assert not await graph.relations(scope)
        finally:
            await run_cypher(bolt, "DROP CONSTRAINT others IF EXISTS")

    asyncio.run(run())
