"""Gives every request an id: its own, if that is a plain one, else a new one. It is told back."""

from __future__ import annotations

import re
import secrets

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_PLAIN = re.compile(r"[A-Za-z0-9._-]{1,64}")
HEADER = "x-request-id"


class Naming:
    """Puts the id of a request into its state and into its answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Name the request, and pass it on."""
        request_id = chosen(Headers(scope=scope).getlist(HEADER))
        scope.setdefault("state", {})["request_id"] = request_id

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                named = (HEADER.encode(), request_id.encode())
                message["headers"] = [*message["headers"], named]
            await send(message)

        await self._app(scope, receive, told)


def chosen(given: list[str]) -> str:
    """Return the id that a client gave, if it gave one and that is plain, or a new one."""
    if len(given) == 1 and _PLAIN.fullmatch(given[0]):
        return given[0]
    return secrets.token_hex(12)
