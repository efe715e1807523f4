"""Which network addresses may be visited. Every address that a name has must be a public one."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from sextant.errors import Unreachable, UnsafeSource

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""From a host and a port to the addresses of the host, as text."""

_HINT = "Set ingest.private_addresses if the site is yours and you mean it."
_NAT64 = ip_network("64:ff9b::/96")
_TRANSLATED = ip_network("::ffff:0:0:0/96")  # IPv4-translated, as in RFC 2765
_COMPATIBLE = ip_network("::/96")
_ISATAP = (0x00005EFE, 0x02005EFE)  # before the IPv4 address, in any network: RFC 5214
_REFUSED = tuple(
    map(
        ip_network,
        (
            "0.0.0.0/8",
            "100.64.0.0/10",
            "168.63.129.16/32",  # the host of a virtual machine in Azure answers here
            "192.0.0.0/24",
            "192.88.99.0/24",
            "198.18.0.0/15",
            "240.0.0.0/4",
            "64:ff9b:1::/48",
            "100::/64",
            "2001::/23",
            "2001:db8::/32",
            "3fff::/20",
            "5f00::/16",
            "fc00::/7",
            "fe80::/10",
            "fec0::/10",
            "ff00::/8",
        ),
    )
)


async def system_resolve(host: str, port: int) -> Sequence[str]:
    """Ask the system for the addresses of a host."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


async def vetted(host: str, port: int, resolve: Resolve, private: bool) -> Sequence[str]:
    """Return the addresses of a host; raise if one of them may not be visited."""
    addresses = [literal] if (literal := numeric(host)) else await _resolved(host, port, resolve)
    if not addresses:
        raise Unreachable(f"The host {host} has no address.", "Check the spelling.")
    if not private and not all(map(is_public, addresses)):
        raise UnsafeSource(f"The host {host} is at a private address.", _HINT)
    return addresses


def numeric(host: str) -> str | None:
    """Return the address that a host spells in numbers, be they decimal, octal or hexadecimal."""
    try:
        return str(ip_address(host))
    except ValueError:
        pass
    try:
        # Only what is all numbers gets through here; a name does not.
        return str(IPv4Address(socket.inet_aton(host)))
    except (OSError, ValueError):
        return None


def is_public(address: str) -> bool:
    """Say whether an address is one that anybody on the internet could reach."""
    try:
        outer = ip_address(address.split("%")[0])
    except ValueError:
        return False
    return "%" not in address and all(map(_is_open, (_unwrapped(outer), *_tunnelled(outer))))


def _is_open(address: IPv4Address | IPv6Address) -> bool:
    if address.is_multicast or not address.is_global:
        return False
    return not any(address in one for one in _REFUSED if one.version == address.version)


def _unwrapped(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return the IPv4 address that an IPv6 address stands for, if it stands for one."""
    if isinstance(address, IPv4Address):
        return address
    if inner := address.ipv4_mapped or address.sixtofour:
        return inner
    if address in _NAT64 or address in _TRANSLATED or _is_compatible(address):
        return _last_four(address)
    return address


def _tunnelled(address: IPv4Address | IPv6Address) -> Sequence[IPv4Address]:
    """Return the IPv4 address that packets to an IPv6 address are sent to within a tunnel."""
    is_isatap = address.version == 6 and (int(address) >> 32) & 0xFFFFFFFF in _ISATAP
    return [_last_four(address)] if is_isatap else []


def _last_four(address: IPv4Address | IPv6Address) -> IPv4Address:
    return IPv4Address(int(address) & 0xFFFFFFFF)


def _is_compatible(address: IPv6Address) -> bool:
    return address in _COMPATIBLE and int(address) > 0xFFFF


async def _resolved(host: str, port: int, resolve: Resolve) -> Sequence[str]:
    try:
        return await resolve(host, port)
    except (OSError, UnicodeError) as error:
        raise Unreachable(f"The host {host} cannot be found.", "Check the spelling.") from error
