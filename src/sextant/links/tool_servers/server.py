"""An MCP server of others as a ToolServer: listed whole, called without retries, named in errors.

A call may have done something before it failed, so none is repeated.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx2
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import CONNECTION_CLOSED, ToolListChangedNotification

from sextant.errors import ConfigError, PeerError, PeerRefused, PeerUnreachable, SextantError
from sextant.links.client import host_of, is_address
from sextant.links.mcp_caller import HEARD, hearing
from sextant.links.mcp_connection import Asking, Connection, shown_message, telling
from sextant.links.tokens import Tokens, tokens_for
from sextant.links.tool_servers.listing import whole_list
from sextant.links.tool_servers.opening import check_server, find_server, opened_client
from sextant.settings import Settings, ToolServerSettings
from sextant.settings.credentials import tool_server_credential

T = TypeVar("T")
_REFUSED = (httpx2.codes.UNAUTHORIZED, httpx2.codes.FORBIDDEN)
_CHECK = "Check its address or command, and that it runs."


@dataclass(frozen=True, slots=True)
class _Page:
    tools: Sequence[Mapping[str, Any]]
    next_cursor: str | None


class McpToolServer:
    """One server, connected to when it is first asked, and anew after a failure."""

    def __init__(
        self, server: ToolServerSettings, settings: Settings, tokens: Tokens | None = None
    ) -> None:
        self._server = server
        self._settings = settings
        self._tokens = tokens
        self._changes = 0
        self._connection = Connection(self._opened)

    @property
    def name(self) -> str:
        """How the server is called here."""
        return self._server.name

    @property
    def changes(self) -> int:
        """How often the server has said that its list is another one."""
        return self._changes

    async def tools(self) -> Sequence[Mapping[str, Any]]:
        """Return all tools that the server lists now, as the protocol has them."""

        async def listed(client: Client) -> Sequence[Mapping[str, Any]]:
            async def read(cursor: str | None) -> _Page:
                page = await client.list_tools(cursor=cursor, cache_mode="bypass")
                return _Page([_wire(tool) for tool in page.tools], page.next_cursor)

            return await whole_list(self.name, read, lambda: self._changes)

        return await self._asked("list its tools", listed, self._settings.toolbox.list_seconds)

    async def call(
        self, tool: str, arguments: Mapping[str, Any], seconds: float = 0.0
    ) -> Mapping[str, Any]:
        """Return the result of a call, in the protocol's own form."""

        async def called(client: Client) -> Mapping[str, Any] | PeerError:
            try:
                return _wire(await client.call_tool(tool, dict(arguments)))
            except MCPError as error:
                if _is_closed(error):
                    raise
                return self._failed(f"refuses the call of {tool}: {shown_message(error.message)}")
            except (RuntimeError, ValueError):  # what comes back is not what was promised
                return self._failed(f"answered the call of {tool} against its own description")

        with telling(tool):
            given = await self._asked(
                f"answer the call of {tool}",
                called,
                seconds or self._settings.toolbox.call_seconds,
            )
        if isinstance(given, PeerError):
            raise given
        return given

    async def close(self) -> None:
        """Let go of the server; a command is ended."""
        await self._connection.close()
        if self._tokens:
            await self._tokens.close()

    async def _asked(self, what: str, asking: Asking[T], seconds: float) -> T:
        """Ask, and say of whatever goes wrong which server it is."""
        if self._connection.is_closed:
            raise PeerError(f"The connection to {self.name} was closed.", "Open a new one.")
        if self._tokens:
            await self._tokens.token()  # what goes wrong with it is told as it is
        with hearing() as heard:
            try:
                return await self._connection.ask(asking, seconds)
            except TimeoutError:
                raise PeerUnreachable(
                    f"{self.name} did not {what} within {seconds:g} seconds.", _CHECK
                ) from None
            except MCPError as error:
                said = f"does not {what}: {shown_message(error.message)}"
                failure = self._broken(what) if _is_closed(error) else self._failed(said)
                raise heard.refusal or failure from None
            except ConnectionError as error:
                raise heard.refusal or self._unreadable(what, error) from None

    def _failed(self, what: str) -> PeerError:
        return PeerError(f"{self.name} {what}.", _CHECK)

    def _broken(self, what: str) -> PeerUnreachable:
        return PeerUnreachable(
            f"{self.name} cannot be reached, or ended before it could {what}.", _CHECK
        )

    def _unreadable(self, what: str, error: ConnectionError) -> PeerError:
        """Return why nothing came back: it is not there, or does not keep to the protocol."""
        if isinstance(error.__cause__, ValueError):
            return self._failed(f"did not {what} as the protocol has it")
        return self._broken(what)

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[Client]:
        with hearing() as heard:
            try:
                async with opened_client(
                    self._server, self._settings, self._tokens, self._hear, self._notice
                ) as client:
                    yield client
            except Exception as error:
                raise heard.refusal or error from None

    async def _notice(self, message: Any) -> None:
        self._changes += isinstance(message, ToolListChangedNotification)

    async def _hear(self, answer: httpx2.Response) -> None:
        """Keep why a request was refused: the SDK tells only that it was."""
        heard = HEARD.get()
        if heard is not None:
            heard.refusal = self._refusal_of(answer)

    def _refusal_of(self, answer: httpx2.Response) -> SextantError | None:
        if answer.status_code in _REFUSED:
            variable = tool_server_credential(self._server).token_variable
            return PeerRefused(
                f"{self.name} does not let us in ({answer.status_code}).",
                f"Set {variable} to a token for it, or token_url in its table.",
            )
        return None


def open_tool_server(choice: str | ToolServerSettings, settings: Settings) -> McpToolServer:
    """Open a server by its name in the settings, its address, or the command that starts it."""
    server = find_server(choice, settings) if isinstance(choice, str) else choice
    check_server(server)
    return McpToolServer(server, settings, tokens_for(tool_server_credential(server)))


def open_client_server(address: str, key: str, settings: Settings) -> McpToolServer:
    """Open a server that a client names, with the client's own key for it, and never a command."""
    server = ToolServerSettings(host_of(address), address)
    check_server(server)
    if not is_address(address):
        raise ConfigError("A client names a server by an address.", "Write https://host/mcp.")

    # Not remembered as ours: it is a stranger's text, and what is remembered is hidden everywhere.
    async def fetch() -> tuple[str, float]:
        return key, math.inf

    async def close() -> None:
        """Nothing is held open."""

    return McpToolServer(server, settings, Tokens(fetch, close) if key else None)


def _is_closed(error: MCPError) -> bool:
    """Whether the connection ended; servers use the same code for whatever they like."""
    return error.code == CONNECTION_CLOSED and error.message.lower().startswith("connection closed")


def _wire(value: Any) -> Mapping[str, Any]:
    made: Mapping[str, Any] = value.model_dump(mode="json", by_alias=True, exclude_none=True)
    return made
