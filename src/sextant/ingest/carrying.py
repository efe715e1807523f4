"""Work that is carried to its end, whoever leaves meanwhile. Knows no work."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


async def carried(work: Coroutine[Any, Any, T]) -> T:
    """Do something to its end; whoever is cancelled meanwhile leaves only then."""
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():  # a client may leave, and the time be over, too
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task])
        raise
