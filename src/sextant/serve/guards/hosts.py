"""Whose name a request calls us by: a page elsewhere must not reach us under its own (421)."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from sextant.serve.front.problem import Problem
from sextant.settings import ServeSettings

_ADDRESS = re.compile(rb"https?://([^/?#]+)(/[\x21-\x7e]*)?", re.IGNORECASE)
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::[0-9]{1,5})?")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_EVERYWHERE = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - names to leave out, not to listen on
MISDIRECTED = Problem(
    421,
    "wrong_host",
    "Misdirected request",
    "This server does not go by the name in the Host header.",
    "Use its own address, or let whoever runs it add the name to serve.hosts.",
)
NO_TARGET = Problem(
    400,
    "invalid_input",
    "Bad request",
    "What is requested is neither a path nor an address of the web.",
    "Send a path that begins with /.",
)
NO_HOST = Problem(
    400,
    "invalid_input",
    "Bad request",
    "There is no Host header.",
    "Send the server's address.",
    (("connection", "close"),),
)


class Hosts:
    """Knows the names of this server; which port is called is of no concern."""

    def __init__(self, app: ASGIApp, settings: ServeSettings) -> None:
        self._app = app
        more = (name_of(one) for one in settings.hosts.split(","))
        public = urlsplit(settings.public_url).hostname or ""
        self._names = {*_LOOPBACK, settings.host.lower().strip("[]"), public, *more} - _EVERYWHERE

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on that means this server."""
        if not scope["path"].startswith("/"):
            scope = _from_whole_address(scope)
        await (self._wrong(scope) or self._app)(scope, receive, send)

    def _wrong(self, scope: Scope) -> Problem | None:
        if not scope["path"].startswith("/"):
            return NO_TARGET
        host = Headers(scope=scope).get("host")
        if host is None:
            return None if scope["http_version"] == "1.0" else NO_HOST
        own = scope.get("server")
        name = name_of(host)
        if name in self._names or (own and name == own[0]):
            return None
        return MISDIRECTED


def _from_whole_address(scope: Scope) -> Scope:
    """Return a request for a whole address, as a proxy's, like one for a path of this server.

    What the address says of the host counts, whatever the header says.
    """
    found = _ADDRESS.fullmatch(scope["raw_path"])
    if not found:
        return scope
    host, path = found[1], found[2] or b"/"
    headers = [one for one in scope["headers"] if one[0] != b"host"]
    place = {"path": unquote(path.decode("ascii")), "raw_path": path}
    return {**scope, **place, "headers": [(b"host", host), *headers]}


def name_of(host: str) -> str:
    """Return a host without its port, in lower case; nothing where it is no host."""
    found = _HOST.fullmatch(host.strip().lower())
    return (found[1] or found[2]).rstrip(".") if found else ""
