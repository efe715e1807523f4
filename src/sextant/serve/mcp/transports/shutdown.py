"""How a process ends that talks over stdin and stdout: with stdin, or when somebody wants it to."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from anyio.abc import ObjectReceiveStream
from mcp.shared.message import SessionMessage

from sextant.serve.stopping import AtOnce, do_nothing, stop_wanted


async def until_stopped(
    serving: Awaitable[None],
    close: Callable[[], Awaitable[None]] | None = None,
    at_once: AtOnce = do_nothing,
) -> None:
    """Serve to the end; when somebody wants us to stop, close what is open and leave at once.

    The thread that reads stdin cannot be woken, so the process does not wait for it.
    """
    with stop_wanted(at_once) as stopped:
        server, stop = asyncio.ensure_future(serving), asyncio.create_task(stopped.wait())
        await asyncio.wait({server, stop}, return_when=asyncio.FIRST_COMPLETED)
        if not server.done():
            if close:
                await close()
            os._exit(0)
        stop.cancel()
        await server


class WatchedStdin(ObjectReceiveStream[SessionMessage | Exception]):
    """The messages of stdin, and something that is to be done as soon as there are no more."""

    def __init__(self, messages: Any, at_end: AtOnce) -> None:
        self._messages, self._at_end = messages, at_end

    @property
    def last_context(self) -> Any:
        """In which context the last message came."""
        return self._messages.last_context

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message."""
        try:
            received: SessionMessage | Exception = await self._messages.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            self._at_end()
            raise
        return received

    async def aclose(self) -> None:
        """Read no more."""
        await self._messages.aclose()
