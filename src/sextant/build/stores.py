"""Stores and what servers keep: opened, looked at beforehand, made from a backup."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sextant.build.adapters import find_adapter
from sextant.errors import ConfigError
from sextant.ports import Embedder, FollowingIndex, Progress, Store, ToolGraph
from sextant.server_ports import ServerRecords
from sextant.settings import Settings
from sextant.types import EmbedderIdentity


async def open_store(
    settings: Settings, embedder: Embedder | None = None, *, adopt: bool = False
) -> Store:
    """Open the store; adopt takes it whatever embedder and language it was made with.

    Where the settings name an index, that of the store gives way to it.
    """
    identity = embedder.identity if embedder else None
    opener, rest = find_adapter("store", settings.store)
    store: Store = await opener(rest, settings, identity, adopt=adopt)
    try:
        if settings.index:
            store = await _with_index(store, settings, identity)
        if settings.toolbox.graph:
            store = await _with_tool_graph(store, settings)
    except BaseException:
        await store.admin.close()
        raise
    return store


async def _with_index(store: Store, settings: Settings, identity: EmbedderIdentity | None) -> Store:
    from sextant.stores.paired.store import pair

    opener, rest = find_adapter("index", settings.index)
    index: FollowingIndex = await opener(rest, settings, identity)
    try:
        return pair(store, index, settings.limits)
    except BaseException:
        await index.close()
        raise


async def _with_tool_graph(store: Store, settings: Settings) -> Store:
    """Return the store with another engine for its tools."""
    opener, rest = find_adapter("tool_graph", settings.toolbox.graph)
    graph: ToolGraph = await opener(rest, settings)
    return replace(store, tools=graph)


async def open_server_records(settings: Settings, folder: Path) -> ServerRecords:
    """Open the place where servers keep their records; by default that is the server's folder."""
    opener, rest = find_adapter("server_record", settings.serve.records)
    # Azure's are in no folder, but where [azure] says.
    place = settings if settings.serve.records.startswith("azure:") else folder
    records: ServerRecords = await opener(rest, place)
    return records


def has_keys(settings: Settings, folder: Path) -> bool:
    """Whether keys may have been made; only of a folder can it be said that none were."""
    scheme, _, rest = settings.serve.records.partition(":")
    if scheme != "sqlite":
        return True
    from sextant.stores.server_records import sqlite

    return sqlite.has_keys(rest, folder)


def is_there(settings: Settings) -> bool:
    """Whether there is a store to read from; only of a folder can that be said beforehand."""
    scheme, _, rest = settings.store.partition(":")
    if scheme != "sqlite" or not rest:
        return True
    from sextant.stores.sqlite.upkeep.folder import is_store

    return is_store(Path(rest).expanduser())


def is_vacant(settings: Settings) -> bool:
    """Whether a store would have to be made: its folder is not there, or there is nothing in it."""
    scheme, _, rest = settings.store.partition(":")
    if scheme != "sqlite" or not rest:
        return False
    folder = Path(rest).expanduser()
    return not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))


def restore(settings: Settings, source: Path, progress: Progress | None = None) -> list[str]:
    """Make the store that the settings name from a backup, and name its tenants."""
    scheme, _, rest = settings.store.partition(":")
    if scheme != "sqlite" or not rest:
        raise ConfigError(f"A backup cannot be restored to {settings.store}.", "Use sqlite:FOLDER.")
    from sextant.stores.sqlite.store import restore_store

    return restore_store(source, Path(rest), progress)
