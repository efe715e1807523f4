"""Which server is meant, and the way to it.

Commands come from whoever runs this, never from a request.
"""

from __future__ import annotations

import asyncio
import os
import re
import shlex
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import PurePath
from typing import Any
from urllib.parse import urlsplit

import httpx2
from mcp import Client
from mcp.client.session import MessageHandlerFnT
from mcp.client.streamable_http import streamable_http_client

from sextant.errors import ConfigError
from sextant.limits import check_name
from sextant.links.bearer import Bearer
from sextant.links.client import bounded_client, checked_address, is_address
from sextant.links.mcp_connection import command_transport
from sextant.links.tokens import Tokens
from sextant.prompting.secrets.redact import remember
from sextant.settings import Settings, ToolServerSettings, read_secret_variable
from sextant.settings_sources import is_reference

LARGEST = 64 * 1024 * 1024
"""Bytes of one answer: 50,000 tools of the usual size in one page."""

_FORM = "Write NAME=https://host/mcp, NAME=command arguments, or a name of [[toolbox.servers]]."
_GIVEN_NAME = re.compile(r"([A-Za-z0-9][\w.-]*)=(.*)", re.DOTALL)
_RUNNERS = frozenset(
    ["npx", "npm", "exec", "uvx", "uv", "run", "node", "python", "python3", "docker", "bunx"]
)
_NO_NAMES = frozenset({"index", "main", "cli", "server", "dist", "build", "src", "bin", "/"})
_SECRET = re.compile(r"TOKEN|KEY|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
Heard = Callable[[httpx2.Response], Awaitable[None]]


def find_server(choice: str, settings: Settings) -> ToolServerSettings:
    """Return the server that a choice names: one of the settings, an address, or a command."""
    known = {one.name: one for one in settings.toolbox.servers}
    choice = choice.strip()
    if choice in known:
        return known[choice]
    given = _GIVEN_NAME.fullmatch(choice)
    name, at = (given[1], given[2].strip()) if given else ("", choice)
    server = ToolServerSettings(name or _name_of(at), at)
    check_server(server)
    return server


def check_server(server: ToolServerSettings) -> None:
    """Refuse a server whose name, address or command cannot be one."""
    check_name("name of a server", server.name, 100)
    if is_address(server.at):
        checked_address(server.at, _FORM, f"The address of {server.name}")
    elif not _words(server.at):
        raise ConfigError(f"The server {server.name} has neither an address nor a command.", _FORM)


@asynccontextmanager
async def opened_client(
    server: ToolServerSettings,
    settings: Settings,
    tokens: Tokens | None,
    heard: Heard,
    on_message: MessageHandlerFnT,
) -> AsyncIterator[Client]:
    """Connect to a server, with its own credential and nobody else's."""
    async with AsyncExitStack() as opened:
        transport: AbstractAsyncContextManager[Any]
        if is_address(server.at):
            auth = Bearer(tokens) if tokens else None
            client = bounded_client(settings.model, LARGEST, auth=auth, heard=heard)
            http = await opened.enter_async_context(client)
            transport = streamable_http_client(
                server.at, http_client=http, max_sse_event_size=LARGEST
            )
        else:
            # In a thread, as a vault may have to be asked for what a variable means.
            environment = await asyncio.to_thread(_environment, server)
            transport = command_transport(server.at, opened, environment)
        yield await opened.enter_async_context(Client(transport, message_handler=on_message))


def _environment(server: ToolServerSettings) -> dict[str, str]:
    """Return the variables that a command was promised, with what is secret in them remembered."""
    found = {name: _variable(name) for name in server.variables if name in os.environ}
    for name, value in found.items():
        if _SECRET.search(name) and value:
            remember(value)
    return found


def _variable(name: str) -> str:
    """Return a variable as it is, or the secret whose place in a vault it names."""
    value = os.environ[name]
    return read_secret_variable(name) if is_reference(value) else value


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        raise ConfigError("The command of a server has a quote without its end.", _FORM) from None


def _name_of(at: str) -> str:
    """Return what a server is called that nobody named: its host, or its package or file."""
    if is_address(at):
        return urlsplit(at).hostname or ""
    words = [word for word in _words(at) if not word.startswith("-")]
    told = next((word for word in words if PurePath(word).name not in _RUNNERS), "")
    parts = [re.sub(r"(?<=.)@.*|\.(?:py|js|mjs|ts)$", "", part) for part in PurePath(told).parts]
    return next((part for part in reversed(parts) if part not in _NO_NAMES), "")
