"""How a suite opens the store under test."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from sextant.ports import Store
from sextant.testing import samples
from sextant.types import EmbedderIdentity

IDENTITY = EmbedderIdentity("suite", samples.WIDTH)
T = TypeVar("T")


class Opened:
    """Override ``open_store``; say ``lasts = False`` if a closed store is gone."""

    lasts = True

    async def open_store(self, folder: Path) -> Store:
        """Open the store kept in this folder, for vectors of the suite's IDENTITY."""
        raise NotImplementedError

    def with_store(self, folder: Path, task: Callable[[Store], Awaitable[T]]) -> T:
        """Run a task on an open store and close it."""

        async def run() -> T:
            store = await self.open_store(folder)
            try:
                return await task(store)
            finally:
                await store.admin.close()

        return asyncio.run(run())
