"""A connection to an MCP server: opened when it is first needed, and anew after a failure.

The SDK wants a connection opened and closed by one task, so each has a task of its own that keeps
it while others call through it. One that failed takes no new calls, but those under way may end.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shlex
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, AsyncExitStack
from typing import Any, TypeAlias, TypeVar

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, TextContent

from sextant.errors import SextantError
from sextant.prompting.secrets.redact import redacted
from sextant.spans import Kind, Span, outward, span

_RESULT = "result"
"""Under this name servers tell what is no object, as the protocol has only those."""
_SHOWN = 200
_MOST_PAGES = 50
"""A list of tools that takes more pages never ends."""

_CALL = {"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool"}
T = TypeVar("T")
Opening = Callable[[], AbstractAsyncContextManager[Client]]
Asking: TypeAlias = Callable[[Client], Awaitable[T]]

logging.getLogger("mcp").addHandler(logging.NullHandler())


def telling(tool: str) -> AbstractContextManager[Span]:
    """Tell of a call of a tool while it lasts."""
    return span(f"tools/call {tool}", {**_CALL, "gen_ai.tool.name": tool}, Kind.CLIENT)


def command_transport(
    command: str, opened: AsyncExitStack, environment: Mapping[str, str] | None = None
) -> AbstractAsyncContextManager[Any]:
    """Return the way to a server that a command starts, with these variables beside the usual ones.

    What a server logs is for whoever runs it by hand.
    """
    program, *arguments = shlex.split(command)
    log = opened.enter_context(open(os.devnull, "w"))  # noqa: PTH123, SIM115 - closed with the rest
    own = dict(environment or {})
    return stdio_client(StdioServerParameters(command=program, args=arguments, env=own), log)


async def listed_tools(client: Client) -> dict[str, Mapping[str, Any]]:
    """Return all tools of a server, however many pages that takes."""
    found: dict[str, Mapping[str, Any]] = {}
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = await client.list_tools(cursor=cursor, cache_mode="bypass")
        found |= {tool.name: tool.input_schema for tool in page.tools}
        cursor = page.next_cursor
        if not cursor:
            break
    return found


def shown_message(said: str) -> str:
    """Return what may be shown of what a server says of a failure."""
    return redacted(" ".join(said.split()))[:_SHOWN].rstrip(".") or "it does not say why"


def object_in_text(called: CallToolResult) -> object:
    """Return the JSON that a server writes as text, as those do which know no structure."""
    text = "".join(one.text for one in called.content if isinstance(one, TextContent))
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return {_RESULT: told} if isinstance(told, list) else told


class Connection:
    """Calls tools of one server, many at once."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._held: _Held | None = None
        self._left: list[_Held] = []
        self._is_closed = False

    @property
    def is_closed(self) -> bool:
        """Whether nobody may call any more."""
        return self._is_closed

    async def call(self, tool: str, arguments: Mapping[str, Any], seconds: float) -> CallToolResult:
        """Call a tool; it fails as asking does."""
        meta: Any = outward() or None
        return await self.ask(
            lambda client: client.call_tool(tool, dict(arguments), meta=meta), seconds
        )

    async def ask(self, asking: Asking[T], seconds: float) -> T:
        """Ask the server, or raise MCPError, TimeoutError or, for whatever else, ConnectionError.

        An error of ours with which the opening fails is raised as it is.
        """
        self._held = held = self._held or _Held(self._opening())
        held.calls += 1
        try:
            async with asyncio.timeout(seconds):
                return await asking(await held.client())
        except (MCPError, TimeoutError, SextantError):
            self._drop(held)
            raise
        except Exception as error:  # a task group of the SDK raises groups of whatever went wrong
            self._drop(held)
            raise ConnectionError("The connection broke off, or was never made.") from error
        finally:
            held.calls -= 1
            held.leave_if_idle()

    async def close(self) -> None:
        """Let go of the server; a command is ended."""
        self._is_closed = True
        if self._held:
            self._drop(self._held)
        for held in self._left:
            held.leave()
        for held in self._left:
            await held.ended()

    def _drop(self, held: _Held) -> None:
        """Leave a connection to its end, which nobody who asks should wait for."""
        held.is_dropped = True
        self._left = [*(one for one in self._left if not one.is_over and one is not held), held]
        if self._held is held:
            self._held = None


class _Held:
    """A connection in the hands of a task of its own."""

    def __init__(self, connection: AbstractAsyncContextManager[Client]) -> None:
        self.calls = 0
        self.is_dropped = False
        self._connection = connection
        self._opened: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._enough = asyncio.Event()
        self._keeper = asyncio.create_task(self._keep())

    async def client(self) -> Client:
        """Return the client once it is connected; whoever gives up waiting leaves it to others."""
        return await asyncio.shield(self._opened)

    @property
    def is_over(self) -> bool:
        """Whether the connection is ended."""
        return self._keeper.done()

    def leave_if_idle(self) -> None:
        """Let a connection end that takes no new calls, once none is under way."""
        if self.is_dropped and not self.calls:
            self.leave()

    def leave(self) -> None:
        """Let the connection end, or give up opening it."""
        self._enough.set()
        if not self._opened.done():
            self._keeper.cancel()

    async def ended(self) -> None:
        """Wait until the connection is ended."""
        await asyncio.wait([self._keeper])

    async def _keep(self) -> None:
        try:
            async with self._connection as client:
                self._opened.set_result(client)
                await self._enough.wait()
        except (Exception, asyncio.CancelledError) as error:
            if not self._opened.done():
                known = isinstance(error, SextantError)
                unknown = ConnectionError("The server cannot be reached.")
                self._opened.set_exception(error if known else unknown)
                self._opened.exception()  # nobody may be waiting for it any more
