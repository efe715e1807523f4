"""How a process ends that talks over stdin and stdout: with stdin, or when somebody wants it to."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress


async def until_stopped(
    serving: Awaitable[None], close: Callable[[], Awaitable[None]] | None = None
) -> None:
    """Serve to the end; when somebody wants us to stop, close what is open and leave at once.

    The thread that reads stdin cannot be woken, so the process does not wait for it.
    """
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, stopped.set)
    server, stop = asyncio.ensure_future(serving), asyncio.create_task(stopped.wait())
    await asyncio.wait({server, stop}, return_when=asyncio.FIRST_COMPLETED)
    if not server.done():
        if close:
            await close()
        os._exit(0)
    stop.cancel()
    await server
