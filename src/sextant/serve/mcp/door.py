"""The MCP door, opened by the first who knocks: its library takes as long to import as all else.

Knows when to open the door, not what is behind it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from starlette.types import Receive, Scope, Send

from sextant.serve.door import Door, limits_of
from sextant.serve.house import House, Porch
from sextant.serve.identity.bearer import Bearer
from sextant.serve.identity.metadata import RESOURCE

if TYPE_CHECKING:
    from sextant.serve.mcp.transports.http import McpOverHttp


def open_door(house: House) -> Door:
    """Return the MCP door of a house, with all tools."""
    return mcp_door(house, DeferredMcp(house))


def mcp_door(porch: Porch, app: McpOverHttp | DeferredMcp) -> Door:
    """Return a server of MCP as a door; what the guards refuse is told as by every other door."""
    return Door(
        name="mcp",
        paths=(RESOURCE, f"{RESOURCE}/"),
        app=app,
        scheme=Bearer(porch.identity, porch.settings),
        limits=limits_of(porch.settings.serve),
        index={"mcp": RESOURCE},
        lifespan=app.lifespan,
        ends_own_work=True,
    )


class DeferredMcp:
    """What answers at /mcp; it works while its lifespan lasts."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._wanted, self._ended = asyncio.Event(), asyncio.Event()
        self._opened = asyncio.Event()
        self._door: McpOverHttp | None = None
        self._failed: Exception | None = None

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Open the door once somebody wants it, and close it in the task that opened it."""
        holding = asyncio.create_task(self._hold())
        try:
            yield
        finally:
            self._ended.set()
            self._wanted.set()
            await holding

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        self._wanted.set()
        await self._opened.wait()
        if self._door is None:
            raise RuntimeError("The MCP door cannot be opened.") from self._failed
        await self._door(scope, receive, send)

    async def _hold(self) -> None:
        await self._wanted.wait()
        try:
            if self._ended.is_set():
                return
            # In a thread, so that other requests are answered meanwhile.
            behind = await asyncio.to_thread(import_module, "sextant.serve.mcp.transports.http")
            door: McpOverHttp = behind.whole_mcp(self._house)
            async with door.lifespan():
                self._door = door
                self._opened.set()
                await self._ended.wait()
        except Exception as error:  # told to everybody who knocks
            self._failed = error
        finally:
            self._door = None
            self._opened.set()
