"""The transport of an HTTP client over such connections. Knows no address."""

from __future__ import annotations

from urllib.request import getproxies

import httpcore2
import httpx2

from sextant.prompting.network.streams import PacketNetwork
from sextant.prompting.network.trust import trusted

LIMITS = httpx2.Limits(max_connections=1_000, max_keepalive_connections=100)
"""As the SDKs of models have them; how many are asked at once is bounded elsewhere."""


class PacketTransport(httpx2.AsyncHTTPTransport):
    """HTTP/1.1 as the client speaks it; only what carries its bytes is another."""

    def __init__(self) -> None:
        # The constructor beside this one offers no choice of a network.
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=trusted(),
            max_connections=LIMITS.max_connections,
            max_keepalive_connections=LIMITS.max_keepalive_connections,
            keepalive_expiry=LIMITS.keepalive_expiry,
            network_backend=PacketNetwork(),
        )


def direct_transport() -> PacketTransport | None:
    """Return a transport, or None where the environment names a proxy, which the client knows."""
    return None if getproxies() else PacketTransport()
