"""An answer over HTTP: whole as JSON, or in parts, as far as the client can take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.datastructures import Headers
from starlette.types import Send

from sextant.serve.graphql.incremental.framing import (
    EVENTS,
    MULTIPART,
    Events,
    Framing,
    Multipart,
)
from sextant.text.codec.json_bytes import written

_JSON = "application/json"
_GRAPHQL_JSON = "application/graphql-response+json"
_ANYTHING = "*/*"
_FRAMINGS: dict[str, Framing] = {MULTIPART: Multipart(), EVENTS: Events()}


class Reply:
    """One answer; what a client accepts says how it can come, parts before events before JSON."""

    def __init__(self, headers: Headers, send: Send) -> None:
        self._accepts = _media_in(headers)
        self._send = send
        self._is_begun = False
        self.framing = next((own for media, own in _FRAMINGS.items() if self._takes(media)), None)

    async def whole(self, payload: bytes) -> None:
        """Send an answer that is one payload."""
        if self.framing and not (self._takes(_JSON) or self._takes(_GRAPHQL_JSON)):
            await self.parts([payload], is_last=True)
            return
        kind = _GRAPHQL_JSON if _GRAPHQL_JSON in self._accepts else _JSON
        length = (b"content-length", str(len(payload)).encode())
        await self._begin(f"{kind}; charset=utf-8", length)
        await self._send({"type": "http.response.body", "body": payload})

    async def parts(self, payloads: Sequence[bytes], *, is_last: bool) -> None:
        """Send some more payloads, in one piece, and say if there are no more."""
        framing = self.framing or Multipart()
        begin = b""
        if not self._is_begun:
            begin = framing.begin
            await self._begin(framing.content_type, (b"x-accel-buffering", b"no"))
        body = begin + b"".join(map(framing.frame, payloads)) + (framing.end if is_last else b"")
        await self._send({"type": "http.response.body", "body": body, "more_body": not is_last})

    async def fail(self, errors: Sequence[dict[str, Any]]) -> None:
        """Tell errors instead of an answer, unless one has begun."""
        if not self._is_begun:
            await self.whole(written({"errors": errors}))

    async def _begin(self, content_type: str, header: tuple[bytes, bytes]) -> None:
        self._is_begun = True
        headers = [
            (b"content-type", content_type.encode()),
            (b"cache-control", b"no-store"),
            header,
        ]
        await self._send({"type": "http.response.start", "status": 200, "headers": headers})

    def _takes(self, media: str) -> bool:
        kind = media.partition("/")[0]
        return bool(self._accepts & {media, f"{kind}/*", _ANYTHING})


def _media_in(headers: Headers) -> set[str]:
    """Return the media types that a client accepts; all of them where it does not say."""
    given = ",".join(headers.getlist("accept"))
    ranges = (one.strip().lower().replace(" ", "") for one in given.split(","))
    return {one.partition(";")[0] for one in ranges if one and not one.endswith(";q=0")} or {
        _ANYTHING
    }
