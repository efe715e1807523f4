"""Questions that are under way, so that other work can let them go first. Knows no question."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Attention:
    """Counts what is being answered; whoever has time waits for a moment without any."""

    def __init__(self) -> None:
        self._under_way = 0
        self._quiet = asyncio.Event()
        self._quiet.set()

    @contextmanager
    def given(self) -> Iterator[None]:
        """Be a question that is under way."""
        self._under_way += 1
        self._quiet.clear()
        try:
            yield
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._quiet.set()

    async def quiet(self, seconds: float) -> None:
        """Wait until nothing is being answered, or so long: a model may take its time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._quiet.wait()
