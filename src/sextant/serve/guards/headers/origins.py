"""Which pages in a browser may call: the own one and those that are trusted; others get 403."""

from __future__ import annotations

import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sextant.serve.http.problem import Problem
from sextant.settings import ServeSettings

_METHODS = "GET, POST, PUT, PATCH, DELETE"
_ASKED = (
    "accept, authorization, content-type, idempotency-key, if-match, if-none-match, last-event-id, "
    "mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, traceparent, x-request-id"
)
_TOLD = "etag, link, location, mcp-session-id, retry-after, www-authenticate, x-request-id"
_NAME = re.compile(r"[A-Za-z0-9-]{1,80}")
_REMEMBERED_S = "600"
FOREIGN = Problem(
    403,
    "wrong_origin",
    "Not allowed",
    "Pages of this origin may not call this server.",
    "Let whoever runs it add the origin to serve.origins.",
)


class Origins:
    """Knows whose pages are trusted; a request that comes from no page has no origin."""

    def __init__(self, app: ASGIApp, settings: ServeSettings) -> None:
        self._app = app
        given = (one.strip().rstrip("/").lower() for one in settings.origins.split(","))
        self._trusted = frozenset(one for one in given if one)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on that comes from nowhere, from here, or from a trusted page."""
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        if origin is None or self._is_own(origin, headers):
            await self._app(scope, receive, send)
        elif origin.lower() not in self._trusted:
            await FOREIGN(scope, receive, send)
        elif scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
            await _preflight(origin, headers)(scope, receive, send)
        else:
            await self._app(scope, receive, _shared(origin, send))

    def _is_own(self, origin: str, headers: Headers) -> bool:
        scheme, _, host = origin.partition("://")
        return scheme in ("http", "https") and host.lower() == headers.get("host", "").lower()


def _preflight(origin: str, asked: Headers) -> Response:
    """Return what a trusted page may send: what is known, and the headers that it names itself."""
    own = ",".join(asked.getlist("access-control-request-headers"))
    named = [one.strip().lower() for one in own.split(",") if _NAME.fullmatch(one.strip())]
    headers = {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": _METHODS,
        "access-control-allow-headers": ", ".join(dict.fromkeys([*_ASKED.split(", "), *named])),
        "access-control-max-age": _REMEMBERED_S,
        "vary": "origin",
    }
    return Response(status_code=204, headers=headers)


def _shared(origin: str, send: Send) -> Send:
    async def told(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["access-control-allow-origin"] = origin
            headers["access-control-expose-headers"] = _TOLD
            headers.add_vary_header("origin")
        await send(message)

    return told
