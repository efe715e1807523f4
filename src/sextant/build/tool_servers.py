"""Servers of others that have tools: one by one, as a source of tools, or behind a gateway."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sextant.core import Sextant
from sextant.errors import ConfigError
from sextant.ports import ToolServer
from sextant.settings import Settings, ToolServerSettings

if TYPE_CHECKING:
    from sextant.core.gateway import Gateway
    from sextant.toolbox.catalogue import ServerSource


def open_tool_server(settings: Settings, choice: str | ToolServerSettings) -> ToolServer:
    """Open an MCP server of others: by its name in the settings, its address, or its command.

    A command is started, so a choice comes from settings or a command line, never from a request.
    """
    from sextant.links.tool_servers.server import open_tool_server as opener

    return opener(choice, settings)


def tool_source(settings: Settings, choice: str) -> ServerSource:
    """Return an MCP server of others as a source of tools: it is opened to be read, then closed."""
    from sextant.links.tool_servers.opening import find_server
    from sextant.toolbox.catalogue import ServerSource

    server = find_server(choice, settings)
    personas = frozenset(server.personas)
    return ServerSource(server.name, lambda: open_tool_server(settings, server), personas)


def build_gateway(sextant: Sextant, choices: Sequence[str]) -> Gateway:
    """Return a gateway to servers of others: those that are chosen, or all of the settings.

    They are opened when they are first asked; whoever closes the gateway closes them.
    """
    from sextant.core.gateway import Gateway
    from sextant.links.tool_servers.opening import find_server
    from sextant.toolbox.gateway.upstream import Upstream

    settings = sextant.settings
    servers = [find_server(one, settings) for one in choices] or settings.toolbox.servers
    if not servers:
        raise ConfigError(
            "There is no server for the gateway to stand before.",
            'Name some by --mcp "COMMAND" or --mcp URL, or in [[toolbox.servers]].',
        )
    upstreams = [
        Upstream(open_tool_server(settings, one), frozenset(one.personas)) for one in servers
    ]
    return Gateway(sextant.toolbox, settings.serve.tenant, upstreams)
