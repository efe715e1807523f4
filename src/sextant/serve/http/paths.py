"""What a request says of where it goes, and from where it came."""

from __future__ import annotations

import re
from urllib.parse import unquote

from starlette.datastructures import Headers
from starlette.types import Scope

from sextant.settings import Settings

_ADDRESS = re.compile(rb"https?://([^/?#]+)(/[\x21-\x7e]*)?", re.IGNORECASE)


def path_called(scope: Scope) -> str:
    """Return the path that is meant, also by a request for a whole address; else what it says."""
    path: str = scope["path"]
    whole = None if path.startswith("/") else whole_address(scope)
    return unquote(whole[1].decode("ascii")) if whole else path


def whole_address(scope: Scope) -> tuple[bytes, bytes] | None:
    """Return host and path of a request for a whole address, as proxies send it."""
    found = _ADDRESS.fullmatch(scope["raw_path"])
    return (found[1], found[2] or b"/") if found else None


def address_of(scope: Scope) -> str:
    """Return from where a request came."""
    client = scope.get("client")
    return client[0] if client else ""


def address_called(scope: Scope, settings: Settings) -> str:
    """Return the address that this server is called by, without a path."""
    called = f"{scope['scheme']}://{Headers(scope=scope).get('host', '')}"
    return settings.serve.public_url.rstrip("/") or called
