"""Headers that keep a browser from doing more with an answer than was meant."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ALWAYS = (
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-site"),
)
_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"


class Sealing:
    """Seals every answer; a page of our own brings a policy of its own."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and seal its answer."""

        async def sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _ALWAYS:
                    headers[name] = value
                headers.setdefault("content-security-policy", _POLICY)
                headers.setdefault("cache-control", "no-cache" if "etag" in headers else "no-store")
            await send(message)

        await self._app(scope, receive, sealed)
