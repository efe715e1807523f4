"""Threads of its own for what takes knowledge in: listing, loading, unpacking, its caches.

Requests share the threads of their loop; what hangs here leaves those alone.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
_THREADS = 8
"""Two jobs at once, each of which lists, loads for two readers and writes down; and one spare."""


@cache
def _executor() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_THREADS, thread_name_prefix="sextant-ingest")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do something that waits for a disk in one of these threads, and return what came of it."""
    context = contextvars.copy_context()
    call = partial(context.run, work, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_executor(), call)
