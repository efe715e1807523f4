"""A bell that wakes whoever waits for a change. Knows no change."""

from __future__ import annotations

import asyncio
from contextlib import suppress


class Bell:
    """Rings for all who took a pull before; who takes one later waits for the next ring."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def ring(self) -> None:
        """Wake them all."""
        event, self._event = self._event, asyncio.Event()
        event.set()

    def pull(self) -> asyncio.Event:
        """Return what is set at the next ring; take it before looking at what may change."""
        return self._event


async def heard(pulled: asyncio.Event, seconds: float) -> None:
    """Wait for the ring, or for so long."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await pulled.wait()
