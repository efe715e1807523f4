"""The tool graphs that ship with Sextant keep every promise of the port."""

from pathlib import Path

from sextant.ports import Store, ToolGraph
from sextant.settings import Settings
from sextant.stores.memory.store import open_store as open_memory
from sextant.stores.sqlite.store import open_store as open_sqlite
from sextant.testing.tool_suite import ToolGraphConformance


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
