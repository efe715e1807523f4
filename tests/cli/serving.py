"""A model's server beside the command line, which runs a loop of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sextant.testing.fault_server.deeds import Deed
from sextant.testing.fault_server.server import FaultServer


@contextmanager
def serving(*deeds: str | Deed) -> Iterator[str]:
    """Serve these deeds from a thread, and say how the server is chosen."""
    loop = asyncio.new_event_loop()
    started, stop = threading.Event(), asyncio.Event()
    url = ""

    async def serve() -> None:
        nonlocal url
        async with FaultServer(*deeds) as server:
            url = server.url
            started.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    started.wait()
    try:
        yield f"{url}#fault-1"
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()
