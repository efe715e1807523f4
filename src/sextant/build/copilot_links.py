"""Whom a copilot asks beside its models: guardrails, servers of tools, and remote endpoints."""

from __future__ import annotations

from functools import partial

from sextant.build.adapters import find_adapter
from sextant.build.tool_servers import open_tool_server
from sextant.chat.links import CopilotLinks, LinkedServer
from sextant.errors import ConfigError
from sextant.ports import AnalyticsSink, Embedder, Guardrail, RemoteEndpoint, ToolGraph, ToolServer
from sextant.settings import RemoteEndpointSettings, Settings


def open_copilot_links(settings: Settings, embedder: Embedder) -> CopilotLinks:
    """Open what the settings name; nobody is asked before the first run."""
    services = settings.guardrails.services
    return CopilotLinks(
        tuple(_guardrail(one, settings, embedder) for one in services),
        tuple(_tool_server(one, settings) for one in settings.chat.tool_servers),
        partial(_client_server, settings),
        partial(_tool_graph, settings),
        _remotes(settings),
        _analytics(settings),
    )


def _guardrail(choice: str, settings: Settings, embedder: Embedder) -> Guardrail:
    opener, rest = find_adapter("guardrail", choice)
    guardrail: Guardrail = opener(rest, settings, embedder)
    return guardrail


def _tool_server(name: str, settings: Settings) -> LinkedServer:
    server = next((one for one in settings.toolbox.servers if one.name == name), None)
    if server is None:
        known = ", ".join(one.name for one in settings.toolbox.servers) or "none"
        raise ConfigError(
            f"The setting chat.tool_servers names {name!r}, which is no server of tools.",
            f"Use a name in [[toolbox.servers]]; there are: {known}.",
        )
    return LinkedServer(open_tool_server(settings, server), frozenset(server.personas))


def _client_server(settings: Settings, address: str, key: str) -> ToolServer:
    from sextant.links.tool_servers.server import open_client_server

    return open_client_server(address, key, settings)


def _tool_graph(settings: Settings) -> ToolGraph:
    from sextant.stores.memory.parts.tools import MemoryTools
    from sextant.stores.memory.tenants import Tenants

    return MemoryTools(Tenants(settings, None))


def _remotes(settings: Settings) -> tuple[RemoteEndpoint, ...]:
    """Return the remote endpoints; nothing is imported where there are none."""
    if not settings.chat.remotes:
        return ()
    from sextant.links.remote_endpoints.kinds import open_remote_endpoint

    return tuple(open_remote_endpoint(one, settings) for one in settings.chat.remotes)


def wrong_remote(remote: RemoteEndpointSettings) -> ConfigError | None:
    """Return why nobody here can speak with a remote endpoint, or None; nothing is opened."""
    from sextant.links.remote_endpoints.kinds import wrong_kind

    return wrong_kind(remote)


def _analytics(settings: Settings) -> AnalyticsSink | None:
    if not settings.analytics.endpoint:
        return None
    from sextant.links.analytics.http_sink import open_analytics

    return open_analytics(settings)
