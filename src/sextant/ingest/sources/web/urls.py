"""When two addresses are one page, and what a page is called in its source. Fetches nothing."""

from __future__ import annotations

import hashlib
import re

import httpx2

from sextant.errors import InvalidInput

MOST_CHARACTERS = 4_000
_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[A-Za-z0-9._:-]+")
_LONG_PATH = 500


def canonical(address: str, base: httpx2.URL | None = None) -> httpx2.URL:
    """Return the address without fragment and default port; raise InvalidInput if it is none."""
    if len(address) > MOST_CHARACTERS:
        raise InvalidInput("The address is too long.", f"Limit: {MOST_CHARACTERS} characters.")
    try:
        url = httpx2.URL(address) if base is None else base.join(address.strip())
        return _checked(url, address)
    except (httpx2.InvalidURL, ValueError, TypeError) as error:
        raise InvalidInput(
            "The address cannot be understood.", "Write https://host/path."
        ) from error


def _checked(url: httpx2.URL, address: str) -> httpx2.URL:
    if url.scheme not in _PORTS or not _HOST.fullmatch(url.raw_host.decode("ascii")):
        shown = address.split("?")[0][:100]
        raise InvalidInput(
            f"{shown!r} is not an http or https address.", "Write https://host/path."
        )
    if url.userinfo:
        raise InvalidInput(
            "The address holds a user name or a password.", "Leave out what is before the @."
        )
    if url.port is not None and not 0 < url.port < 65536:
        raise InvalidInput("The address has no possible port.", "Ports go from 1 to 65535.")
    port = None if url.port == _PORTS[url.scheme] else url.port
    return url.copy_with(fragment=None, port=port, raw_path=url.raw_path)


def origin_of(url: httpx2.URL) -> str:
    """Return scheme, host and port."""
    return f"{url.scheme}://{url.netloc.decode('ascii')}"


def folder_of(url: httpx2.URL) -> str:
    """Return the folder that a page is in, with scheme and host; it ends in a slash."""
    path = url.raw_path.decode("ascii").split("?")[0]
    return origin_of(url) + path[: path.rfind("/") + 1]


def item_path(url: httpx2.URL) -> str:
    """Return what a page is called in its source; a long query is cut and told apart by a hash."""
    path = url.raw_path.decode("ascii").strip("/") or "index"
    if len(path) <= _LONG_PATH:
        return path
    return f"{path[:_LONG_PATH]}~{hashlib.sha256(path.encode()).hexdigest()[:16]}"
