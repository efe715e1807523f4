"""Whom a copilot asks outside of this process. Knows ports, no adapter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sextant.ports import AnalyticsSink, Guardrail, RemoteEndpoint, ToolGraph, ToolServer

OpenClientServer = Callable[[str, str], ToolServer]
"""Opens a server of tools at an address that a client sent, with the client's key for it."""

OpenToolGraph = Callable[[], ToolGraph]
"""Opens an empty catalogue that is nobody else's, for what such servers list."""


@dataclass(frozen=True, slots=True)
class LinkedServer:
    """A server of tools that is held open, and for whom its tools are; none is everybody."""

    server: ToolServer
    personas: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class CopilotLinks:
    """What is held open for a copilot, and how what its clients name is opened."""

    guardrails: tuple[Guardrail, ...] = ()
    tool_servers: tuple[LinkedServer, ...] = ()
    open_client_server: OpenClientServer | None = None
    open_tool_graph: OpenToolGraph | None = None
    remotes: tuple[RemoteEndpoint, ...] = ()
    analytics: AnalyticsSink | None = None

    async def close(self) -> None:
        """Let go of all of it."""
        for guardrail in self.guardrails:
            await guardrail.close()
        for one in self.tool_servers:
            await one.server.close()
        for remote in self.remotes:
            await remote.close()
        if self.analytics:
            await self.analytics.close()
