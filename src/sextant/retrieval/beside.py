"""A call that is under way while others are awaited. Knows no step and no store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

T = TypeVar("T")


@asynccontextmanager
async def beside(call: Coroutine[Any, Any, T]) -> AsyncIterator[asyncio.Task[T]]:
    """Begin a call, whose task can be awaited; leaving the block ends it, done or not."""
    task = asyncio.create_task(call)
    try:
        yield task
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # heard, also where something else failed first
