"""A span for each request that comes in, inside the caller's own if it names one. Knows no route.

Of an address only the pattern of its route is told: what stands in it may be anybody's.
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sextant.serve.door import route_of
from sextant.serve.http.problem import request_id_of
from sextant.spans import RUN, Kind, Span, Tracer, span, traced

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_OTHER = "_OTHER"
_FIRST_FAILURE = 500


class Tracing:
    """Tells a tracer of every request, and of what is done for it."""

    def __init__(self, app: ASGIApp, tracer: Tracer) -> None:
        self._app, self._tracer = app, tracer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and tell how it went."""
        method = scope["method"] if scope["method"] in _METHODS else _OTHER
        facts = {"http.request.method": method, "url.scheme": scope.get("scheme", "http")}
        with (
            traced(self._tracer, {RUN: request_id_of(scope)}),
            span(method, facts, Kind.SERVER, parent_of(Headers(scope=scope))) as told,
        ):
            try:
                await self._app(scope, receive, _telling(send, told))
            finally:
                _name(told, method, scope)


def parent_of(headers: Headers) -> dict[str, str]:
    """Return which span the caller names; of two that cannot both be right, none is taken."""
    parents, states = headers.getlist("traceparent"), headers.getlist("tracestate")
    if len(parents) != 1:
        return {}
    return {"traceparent": parents[0], **({"tracestate": ",".join(states)} if states else {})}


def _telling(send: Send, told: Span) -> Send:
    async def tell(message: Message) -> None:
        if message["type"] == "http.response.start":
            status = message["status"]
            told.note({"http.response.status_code": status})
            if status >= _FIRST_FAILURE:
                told.fail(str(status))
        await send(message)

    return tell


def _name(told: Span, method: str, scope: Scope) -> None:
    """Say which route it was, which is known only once it is found."""
    if route := route_of(scope):
        told.note({"http.route": route})
        told.rename(f"{method} {route}")
