"""A retriever that is a tool of an MCP server: over Streamable HTTP, or a command started here."""

from __future__ import annotations

import json
import shlex
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, TextContent

from sextant.errors import BrokenFile, ConfigError, TooMuch, Unreachable
from sextant.links.client import LARGEST, checked_address, host_of, is_address, open_client
from sextant.links.mcp_connection import (
    Connection,
    command_transport,
    listed_tools,
    shown_message,
    telling,
)
from sextant.links.shape import SHAPE_HINT, asked, retrieval_of
from sextant.settings import Settings
from sextant.types import Retrieval, RetrievalRequest

_FORM = "Write mcp:https://host/mcp#tool or mcp:command arguments#tool."
_NAME_IT = "Name it behind the address: mcp:https://host/mcp#tool."
_MOST_SHOWN = 8


class McpRetriever:
    """Calls one tool of one server; where none is named, the only one that the server has."""

    def __init__(self, server: str, tool: str, settings: Settings) -> None:
        self._tool = tool
        self._seconds = settings.model.total_seconds
        self._whose = f"The tool {tool} of {_name(server)}" if tool else _name(server)
        self._connection = Connection(lambda: _connected(server, settings))

    async def retrieve(self, ask: RetrievalRequest) -> Retrieval:
        """Return what the tool finds for a query."""
        if self._connection.is_closed:
            raise Unreachable("The retriever was closed.", "Open a new one.")
        with telling(self._tool or "retrieve"):
            called = await self._called(asked(ask))
            return retrieval_of(self._read(called), self._whose)

    async def close(self) -> None:
        """Let go of the server; a command is ended."""
        await self._connection.close()

    async def _called(self, arguments: dict[str, str]) -> CallToolResult:
        try:
            tool = self._tool or _only(await self._names(), self._whose)
            return await self._connection.call(tool, arguments, self._seconds)
        except MCPError as error:
            raise self._unreachable(f"failed: {shown_message(error.message)}") from None
        except TimeoutError:
            raise self._unreachable("did not answer in time") from None
        except ConnectionError:
            raise self._unreachable("cannot be reached, or broke off") from None

    async def _names(self) -> tuple[str, ...]:
        return tuple(await self._connection.ask(listed_tools, self._seconds))

    def _read(self, called: CallToolResult) -> object:
        """Return structured content or, where that is something else, the JSON of the text."""
        text = "".join(one.text for one in called.content if isinstance(one, TextContent))
        if called.is_error:
            raise self._unreachable(f"failed: {shown_message(text)}")
        content = called.structured_content
        if isinstance(content, dict) and "chunk_texts" in content:
            return content
        if len(text) > LARGEST:
            raise TooMuch(
                f"{self._whose} sent more than {LARGEST:,} characters.", "Let it answer with less."
            )
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise BrokenFile(f"{self._whose} answered with no JSON.", SHAPE_HINT) from None

    def _unreachable(self, what: str) -> Unreachable:
        return Unreachable(
            f"{self._whose} {what}.", "Check that the server runs and has this tool."
        )


@asynccontextmanager
async def _connected(server: str, settings: Settings) -> AsyncIterator[Client]:
    async with AsyncExitStack() as opened:
        transport: AbstractAsyncContextManager[Any]
        if is_address(server):
            http = await opened.enter_async_context(open_client(settings))
            transport = streamable_http_client(server, http_client=http, max_sse_event_size=LARGEST)
        else:
            transport = command_transport(server, opened)
        yield await opened.enter_async_context(
            Client(transport, read_timeout_seconds=settings.model.read_seconds)
        )


def open_retriever(rest: str, settings: Settings) -> McpRetriever:
    """Open the tool that SERVER#TOOL names; it is connected to when it is first called."""
    server, _, tool = rest.strip().rpartition("#")
    if is_address(tool):
        server, tool = tool, ""
    elif not server.strip() or not tool.strip():
        raise ConfigError("The retriever names no server, or no tool of it.", _FORM)
    if is_address(server):
        checked_address(server, _FORM)
    else:
        try:
            shlex.split(server)
        except ValueError:
            raise ConfigError(
                "The retriever's command has a quote without its end.", _FORM
            ) from None
    return McpRetriever(server, tool.strip(), settings)


def _only(tools: Sequence[str], whose: str) -> str:
    if len(tools) != 1:
        known = ", ".join(tools[:_MOST_SHOWN]) or "none"
        raise Unreachable(f"{whose} has no single tool, but {shown_message(known)}.", _NAME_IT)
    return tools[0]


def _name(server: str) -> str:
    """Return what may be told of a server: its path and its arguments are nobody's business."""
    return host_of(server) if is_address(server) else Path(shlex.split(server)[0]).name
