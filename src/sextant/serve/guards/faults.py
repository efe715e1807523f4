"""What went wrong without anybody having meant it: told as 503, with nothing of the inside."""

from __future__ import annotations

import logging

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sextant.errors import SextantError
from sextant.serve.http.problem import Problem, problem_of, request_id_of, unmeant

_log = logging.getLogger(__name__)
_BUSY = 503


class Faults:
    """Catches what no door caught. An operator finds the reason in the log, by the request id."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and answer for it if nobody else does."""
        reply = _Reply(scope, receive, send)
        try:
            await self._app(scope, receive, reply.send)
        except SextantError as error:
            await reply.replace(problem_of(error))
        except Exception:
            _log.exception("The request %s failed.", request_id_of(scope))
            await reply.replace(unmeant())


class _Reply:
    """An answer that can be replaced as long as it has not begun; no status over 503 gets out."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._is_started = self._is_replaced = False

    async def send(self, message: Message) -> None:
        if self._is_replaced:
            return
        status = message.get("status", 0)
        if status >= 500 and status != _BUSY:
            await self.replace(unmeant())
        else:
            self._is_started = True
            await self._send(message)

    async def replace(self, problem: Problem) -> None:
        if not (self._is_started or self._is_replaced):
            self._is_replaced = True
            await problem(self._scope, self._receive, self._send)
