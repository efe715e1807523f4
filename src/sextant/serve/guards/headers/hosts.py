"""Whose name a request calls us by: a page elsewhere must not reach us under its own (421)."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from sextant.serve.http.paths import whole_address
from sextant.serve.http.problem import Problem
from sextant.settings import ServeSettings

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
        await (self._wrong(scope) or self._app)(scope, receive, send)

    def _wrong(self, scope: Scope) -> Problem | None:
        if not (scope["path"].startswith("/") or _take_whole_address(scope)):
            return NO_TARGET
        host = Headers(scope=scope).get("host")
        if host is None:
            return None if scope["http_version"] == "1.0" else NO_HOST
        own = scope.get("server")
        name = name_of(host)
        if name in self._names or (own and name == own[0]):
            return None
        return MISDIRECTED


def _take_whole_address(scope: Scope) -> bool:
    """Take a request for a whole address, as a proxy's, for one of its path; say if it is one.

    What the address says of the host counts, whatever the header says. The guards outside hear of
    the path, too: they count requests by it.
    """
    found = whole_address(scope)
    if found:
        host, path = found
        scope["path"], scope["raw_path"] = unquote(path.decode("ascii")), path
        others = [one for one in scope["headers"] if one[0] != b"host"]
        scope["headers"] = [(b"host", host), *others]
    return found is not None


def name_of(host: str) -> str:
    """Return a host without its port, in lower case; nothing where it is no host."""
    found = _HOST.fullmatch(host.strip().lower())
    return (found[1] or found[2]).rstrip(".") if found else ""
