"""Servers of others that have agents and actions for copilots."""

from __future__ import annotations

from sextant.ports import RemoteEndpoint
from sextant.settings import Settings


def open_remotes(settings: Settings) -> tuple[RemoteEndpoint, ...]:
    """Open the remote endpoints of the settings; nothing is imported where there are none."""
    if not settings.chat.remotes:
        return ()
    from sextant.links.remote_endpoints.endpoint import open_remote_endpoint

    return tuple(open_remote_endpoint(one, settings) for one in settings.chat.remotes)
