"""Servers of tools that a client names in the properties of a run: which of them may be asked.

Only https addresses below one that the settings allow, at public network addresses as documents
have to be; never a command. Knows no server.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from sextant.errors import Forbidden, InvalidInput
from sextant.ingest.sources.web.addresses import Resolve, system_resolve, vetted
from sextant.types import Json

_PROPERTIES = ("mcpServers", "mcpEndpoints")
"""Where CopilotKit's pages name servers, in the order in which its Node runtime looks."""
_MOST_SERVERS = 5
_LONGEST = 2_000  # characters of an address or a key
_HTTPS = 443
_FORM = 'Send [{"endpoint": "https://host/mcp", "apiKey": "…"}].'


@dataclass(frozen=True, slots=True)
class ClientServer:
    """A server that a client names, with the client's key for it."""

    address: str
    key: str = field(default="", repr=False)


def client_servers_in(
    properties: Mapping[str, Json], allowed: Sequence[str]
) -> tuple[ClientServer, ...]:
    """Return the servers that a client names, or say why one of them is not asked."""
    given = next((properties[name] for name in _PROPERTIES if properties.get(name)), ())
    if not isinstance(given, list | tuple):
        raise InvalidInput("The MCP servers of a page are not a list.", _FORM)
    if len(given) > _MOST_SERVERS:
        raise InvalidInput(f"A page names more than {_MOST_SERVERS} MCP servers.", "Name fewer.")
    servers = tuple(map(_server_of, given))
    for one in servers:
        _check_allowed(one.address, allowed)
    return servers


async def check_reachable(
    address: str, *, private: bool, resolve: Resolve = system_resolve
) -> None:
    """Refuse an address that leads into a network of ours."""
    parts = urlsplit(address)
    await vetted(parts.hostname or "", parts.port or _HTTPS, resolve, private)


def _server_of(given: Any) -> ClientServer:
    if isinstance(given, Mapping):
        address, key = given.get("endpoint"), given.get("apiKey") or ""
        if isinstance(address, str) and isinstance(key, str):
            is_short = max(len(address), len(key)) <= _LONGEST
            if is_short and key.isascii() and (key.isprintable() or not key):
                return ClientServer(address, key)
    raise InvalidInput("An MCP server of a page has no address, or a wrong key.", _FORM)


def _check_allowed(address: str, allowed: Sequence[str]) -> None:
    if not allowed:
        raise Forbidden(
            "This server takes no MCP servers from a page.",
            "Leave them out, or have them added to chat.client_tool_servers.",
        )
    parts = _split(address)
    if parts is None or not any(_is_below(parts, _split(one)) for one in allowed):
        raise Forbidden(
            "An MCP server of a page is not among those that are allowed.",
            "Have its https address added to chat.client_tool_servers.",
        )


def _split(address: str) -> SplitResult | None:
    """Return the parts of an https address that says nothing else than where it leads."""
    try:
        parts = urlsplit(address)
        is_right = parts.scheme == "https" and parts.hostname and parts.port != 0
    except ValueError:
        return None
    is_odd = parts.username is not None or parts.fragment or "\\" in address
    climbs = ".." in unquote(unquote(parts.path)).split("/")
    return parts if is_right and not is_odd and not climbs else None


def _is_below(parts: SplitResult, allowed: SplitResult | None) -> bool:
    if allowed is None:
        return False
    own = (parts.hostname, parts.port or _HTTPS)
    is_same = own == (allowed.hostname, allowed.port or _HTTPS)
    base = allowed.path.rstrip("/")
    return is_same and (parts.path == base or parts.path.startswith(f"{base}/"))
