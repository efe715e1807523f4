"""How a suite opens the server records under test."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar
from unittest import SkipTest

from sextant.server_ports import ServerRecords

ALIVE_NO_MORE = "0123456789abcdef"
"""The name of a server that is not here."""

T = TypeVar("T")


class OpenedRecords:
    """Override ``open_records``; what is opened in one folder twice is shared, if it can be."""

    lasts = True
    """Whether closed records are there when they are opened again."""
    shares = True
    """Whether two servers can have the same records open."""

    async def open_records(self, folder: Path) -> ServerRecords:
        """Open the records of this folder, as one server does."""
        raise NotImplementedError

    def with_records(self, folder: Path, task: Callable[[ServerRecords], Awaitable[T]]) -> T:
        """Run a task on open records and close them."""

        async def run() -> T:
            records = await self.open_records(folder)
            try:
                return await task(records)
            finally:
                await records.close()

        return asyncio.run(run())

    def with_two(
        self, folder: Path, task: Callable[[ServerRecords, ServerRecords], Awaitable[None]]
    ) -> None:
        """Run a task on the same records as two servers have them open, and close both."""
        self.need("shares")

        async def run(one: ServerRecords) -> None:
            other = await self.open_records(folder)
            try:
                await task(one, other)
            finally:
                await other.close()

        self.with_records(folder, run)

    def need(self, ability: str) -> None:
        """Skip a test that needs what these records do not claim."""
        if not getattr(self, ability):
            raise SkipTest(f"Not checked: these records say {ability} = False.")
