"""The tool graphs that ship with Sextant keep every promise of the port."""

import secrets
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sextant.build import open_store
from sextant.ports import Store, ToolGraph
from sextant.settings import NEO4J_PASSWORD_VARIABLE, Neo4jSettings, Settings, ToolboxSettings
from sextant.stores.memory.store import open_store as open_memory
from sextant.stores.sqlite.store import open_store as open_sqlite
from sextant.testing.tool_suite import ToolGraphConformance
from sextant.types import Scope
from tests.peers.fixtures import Bolt


class PartOfAStore:
    """A store's own tools, which close with it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> object:
        return getattr(self._store.tools, name)

    async def close(self) -> None:
        await self._store.admin.close()


def tools_of(store: Store) -> ToolGraph:
    return PartOfAStore(store)  # type: ignore[return-value]


class TestToolsInMemory(ToolGraphConformance):
    async def open_graph(self, folder: Path) -> ToolGraph:  # noqa: ARG002
        return tools_of(await open_memory("", Settings(), None))


class TestToolsInTheEmbeddedStore(ToolGraphConformance):
    async def open_graph(self, folder: Path) -> ToolGraph:
        return tools_of(await open_sqlite(str(folder / "store"), Settings(), None))


class GraphOfOneTest:
    """A shared database, of which each test has tenants of its own."""

    def __init__(self, store: Store) -> None:
        self._store, self._prefix = store, secrets.token_hex(4)

    def __getattr__(self, name: str) -> object:
        async def call(scope: Scope, *given: Any, **named: Any) -> Any:
            own = replace(scope, tenant=f"{self._prefix}-{scope.tenant}")
            return await getattr(self._store.tools, name)(own, *given, **named)

        return call

    async def close(self) -> None:
        assert self._store.tools
        await self._store.tools.close()
        await self._store.admin.close()


class TestToolsInNeo4j(ToolGraphConformance):
    @pytest.fixture(autouse=True)
    def database(self, bolt: Bolt, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(NEO4J_PASSWORD_VARIABLE, bolt.password)
        self.bolt = bolt

    async def open_graph(self, folder: Path) -> ToolGraph:  # noqa: ARG002
        settings = Settings(
            store="memory:",
            toolbox=ToolboxSettings(self.bolt.url),
            neo4j=Neo4jSettings(self.bolt.user, "neo4j"),
        )
        return GraphOfOneTest(await open_store(settings))  # type: ignore[return-value]
