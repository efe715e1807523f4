"""A line in the log for each request that was answered. Of an address only its route is told.

A request that was refused before it had one is told by what its door claims.
"""

from __future__ import annotations

import logging
from time import perf_counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sextant.serve.door import claim_of, route_of
from sextant.serve.http.problem import request_id_of
from sextant.serve.records.logs import log_request

_log = logging.getLogger(__name__)


class AccessLog:
    """Lets the log name each request, and tells how it was answered and how long that took."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        began, status = perf_counter(), 0

        async def heard(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        with log_request(request_id_of(scope)):
            try:
                await self._app(scope, receive, heard)
            finally:
                took = round(1_000 * (perf_counter() - began))
                where = route_of(scope) or claim_of(scope) or "an unknown address"
                _log.info("%s %s: %s in %s ms.", scope["method"], where, status or "gone", took)
