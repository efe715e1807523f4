"""What must hold of every reply, beside what the OpenAPI document says of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import schemathesis
from schemathesis import Case, CheckContext, Response

from tests.fuzz.inside import told_of_inside

PROBLEM = "application/problem+json"
TAR = "application/x-tar"
FORM = "multipart/form-data"
_TWICE, _UNKNOWN = "comes twice", "There is no such field"
_FIELDS = {"type", "title", "status", "detail", "hint", "code", "requestId"}


@schemathesis.check
def every_error_is_a_problem(_: CheckContext, response: Response, __: Case[Any]) -> None:
    """Refusals say in one shape what is wrong and what to do, under the id of the request."""
    if response.status_code < 400:
        return
    assert response.headers["content-type"] == [PROBLEM]
    problem = response.json()
    assert set(problem) >= _FIELDS, problem
    assert problem["status"] == response.status_code
    assert problem["type"] == f"urn:sextant:{problem['code']}"
    assert problem["title"], problem
    assert problem["detail"], problem
    assert problem["hint"], problem
    assert response.headers["x-request-id"] == [problem["requestId"]]


@schemathesis.check
def what_fits_the_schema_has_the_right_shape(
    _: CheckContext, response: Response, case: Case[Any]
) -> None:
    """What is refused though it fits is refused for what it says, not for a shape unheard of."""
    is_right = case.meta is not None and case.meta.generation.mode.is_positive
    if is_right and response.status_code == 422:
        wrong = [one["message"] for one in response.json().get("errors", [])]
        # A schema cannot say that what stands under any name is a file only with a file name.
        known = (_TWICE, _UNKNOWN) if case.media_type == FORM else (_TWICE,)
        assert all(any(one in message for one in known) for message in wrong), wrong


@schemathesis.check
class NothingOfTheInside:
    """No reply gives away where or how it was made, or who else is there.

    A backup does: it is for whoever runs the server, and holds every tenant.
    """

    def __init__(self, folder: str = "") -> None:
        self._folder = Path(folder)

    def after_response(self, _: CheckContext, response: Response, __: Case[Any]) -> None:
        """Look at the head and the body."""
        if response.headers.get("content-type") == [TAR]:
            return
        text = f"{response.headers}\n{response.content.decode(errors='replace')}"
        found = told_of_inside(text, self._folder, _sent(response))
        assert not found, f"The reply tells {found}."


def _sent(response: Response) -> str:
    body = response.request.body
    text = body.decode(errors="replace") if isinstance(body, bytes) else str(body)
    return f"{response.request.url} {text}"
