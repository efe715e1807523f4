"""What the head of a request may be: not too long (431), and nothing in it twice (400).

Of what comes twice, two readers could hear two things.
"""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from sextant.serve.http.problem import Problem

BYTES = 32 * 1_024
_COUNT = 100
_ONCE = frozenset(
    {
        b"authorization",
        b"content-length",
        b"content-type",
        b"host",
        b"idempotency-key",
        b"if-match",
        b"mcp-session-id",
        b"origin",
        b"transfer-encoding",
    }
)
_LENGTHS = frozenset({b"content-length", b"transfer-encoding"})
DOUBLE = Problem(
    400,
    "invalid_input",
    "Bad request",
    "A header that counts comes twice, or contradicts another one.",
    "Send each of them once.",
    (("connection", "close"),),
)
LONG = Problem(
    431,
    "too_large",
    "Too large",
    "The headers of the request are too long, or too many.",
    "Send fewer of them.",
    (("connection", "close"),),
)


class Heads:
    """Refuses what is too long, or can be read in two ways."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on whose head is plain."""
        await (_wrong(scope) or self._app)(scope, receive, send)


def _wrong(scope: Scope) -> Problem | None:
    headers = scope["headers"]
    size = len(scope.get("raw_path") or b"") + len(scope["query_string"])
    size += sum(len(name) + len(value) for name, value in headers)
    if size > BYTES or len(headers) > _COUNT:
        return LONG
    names = [name for name, _ in headers if name in _ONCE]
    known = set(names)
    return DOUBLE if len(known) < len(names) or known >= _LENGTHS else None
