"""Problems as RFC 9457 tells them: the one body of every refusal over HTTP. Knows no route."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any, Protocol

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from sextant.errors import SextantError
from sextant.serve.errors import Shown, hidden, shown
from sextant.text.codec.json_bytes import written

_log = logging.getLogger(__name__)
MEDIA_TYPE = "application/problem+json"
Headers = tuple[tuple[str, str], ...]
Errors = tuple[Mapping[str, str], ...]
"""What is wrong with each field of a request."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a request is refused, and what to do about it. It is an ASGI app that says so."""

    status: int
    code: str
    title: str
    detail: str
    hint: str = ""
    headers: Headers = ()
    errors: Errors = ()

    def fields(self) -> dict[str, Any]:
        """Return what it says, whoever asked."""
        return {
            "type": f"urn:sextant:{self.code}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "hint": self.hint,
            "code": self.code,
        }

    def content(self, request_id: str) -> dict[str, Any]:
        """Return what it says to one request."""
        told = {**self.fields(), "requestId": request_id}
        return told | {"errors": self.errors} if self.errors else told

    def body(self, request_id: str) -> bytes:
        """Return what is sent."""
        return written(self.content(request_id))

    def response(self, request_id: str) -> Response:
        """Return the whole answer."""
        return Response(
            self.body(request_id), self.status, dict(self.headers), media_type=MEDIA_TYPE
        )

    def encoded(self, scope: Scope) -> Response:
        """Return the whole answer as the door of a request tells errors; no header is lost."""
        request_id, door = request_id_of(scope), _door_of(scope)
        try:
            form = door.form_of_errors(scope) if door else Problem.response
            response = form(self, request_id)
        except Exception:
            _log.exception("An error of the request %s could not be told.", request_id)
            return self.response(request_id)
        for name, value in self.headers:
            response.headers.setdefault(name, value)
        return response

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request with this problem, and leave its code in the state for the meter."""
        scope.setdefault("state", {})["refused"] = self.code
        await self.encoded(scope)(scope, receive, send)


ErrorForm = Callable[[Problem, str], Response]
"""How a door tells an error to a request of some id: ``Problem.response`` does it as RFC 9457."""
NOTHING = Problem(
    404, "not_found", "Not Found", "There is nothing here.", "See / for what is where."
)


class _TellsErrors(Protocol):
    def form_of_errors(self, scope: Scope) -> ErrorForm: ...


def problem_of(error: SextantError, headers: Headers = ()) -> Problem:
    """Return an error as a problem; what only an operator may read is left out."""
    return _with_retry_after(shown(error), headers)


def unmeant() -> Problem:
    """Return what is told where something failed that nobody foresaw."""
    return _with_retry_after(hidden(), ())


def request_id_of(scope: Scope) -> str:
    """Return under which id a request is known."""
    found: str = scope.get("state", {}).get("request_id", "")
    return found


def _door_of(scope: Scope) -> _TellsErrors | None:
    found: _TellsErrors | None = scope.get("state", {}).get("door")
    return found


def _with_retry_after(one: Shown, headers: Headers) -> Problem:
    if one.retry_after:
        headers = (*headers, ("retry-after", str(ceil(one.retry_after))))
    return Problem(one.status, one.code, one.title, one.sentence, one.hint, headers)
