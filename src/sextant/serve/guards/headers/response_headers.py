"""Headers that keep a browser from doing more with an answer than was meant."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY = b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_SEALS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-site"),
    (b"content-security-policy", _POLICY),
)
_TAGGED, _UNTAGGED = (b"cache-control", b"no-cache"), (b"cache-control", b"no-store")


class Sealing:
    """Seals every answer; a page of our own brings a policy of its own."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and seal its answer."""

        async def sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                told = {name for name, _ in message["headers"]}
                seals = (*_SEALS, _TAGGED if b"etag" in told else _UNTAGGED)
                more = (one for one in seals if one[0] not in told)
                message["headers"] = [*message["headers"], *more]
            await send(message)

        await self._app(scope, receive, sealed)
