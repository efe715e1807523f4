"""Whom the clients of this process trust over TLS. Knows no client."""

from __future__ import annotations

import os
from functools import cache
from ssl import SSLContext

import httpx2

_NAMED_BY = ("SSL_CERT_FILE", "SSL_CERT_DIR")


def trusted() -> SSLContext:
    """Return the authorities that this machine trusts, or those that the environment names.

    They are read once: that takes 60 CPU ms, which every client would spend anew.
    """
    return _read(*(os.environ.get(name) for name in _NAMED_BY))


@cache
def _read(*_: str | None) -> SSLContext:
    return httpx2.create_ssl_context()
