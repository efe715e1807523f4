"""A store in memory for one test."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from sextant.ports import Store
from sextant.settings import Settings
from sextant.stores.memory.store import open_store

T = TypeVar("T")


def with_store(task: Callable[[Store], Awaitable[T]]) -> T:
    """Run a task with a new store."""

    async def run() -> T:
        store = await open_store("", Settings(), None)
        try:
            return await task(store)
        finally:
            await store.admin.close()

    return asyncio.run(run())
