"""Errors as GraphQL tells them, with what CopilotKit's clients look for in the extensions.

It is needed before anybody came, so nothing of the library is imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from sextant.errors import SextantError
from sextant.serve.errors import Shown, failure_of, hidden, in_one_text, shown
from sextant.serve.http.problem import Problem

if TYPE_CHECKING:
    from graphql import GraphQLError

_LONGEST = 500
"""Characters of a message: the library writes out whole values that it refuses."""


def error_of(told: Shown, request_id: str, path: Sequence[str | int] = ()) -> dict[str, Any]:
    """Return an error of ours."""
    error = _error(told.code, told.status, told.sentence, told.hint, request_id)
    return error | {"path": list(path)} if path else error


def refusal_of(problem: Problem, request_id: str) -> dict[str, Any]:
    """Return why a guard refuses a request."""
    return _error(problem.code, problem.status, problem.detail, problem.hint, request_id)


def rejection_of(
    errors: Iterable[GraphQLError], code: str, request_id: str
) -> list[dict[str, Any]]:
    """Return what is wrong with a document or its variables, as the library says it."""
    found = []
    for error in errors:
        told: dict[str, Any] = {"message": error.message[:_LONGEST]}
        if error.locations:
            told["locations"] = [{"line": at.line, "column": at.column} for at in error.locations]
        told["extensions"] = {
            "code": code,
            "severity": "critical",
            "visibility": "toast",
            "requestId": request_id,
        }
        found.append(told)
    return found


def execution_error(error: GraphQLError, request_id: str) -> dict[str, Any]:
    """Return what went wrong while a query was answered; what nobody foresaw stays inside."""
    original = error.original_error
    told = shown(original) if isinstance(original, SextantError) else hidden()
    return error_of(told, request_id, error.path or ())


def _error(code: str, status: int, sentence: str, hint: str, request_id: str) -> dict[str, Any]:
    """Return an error; its hint is a part of the message, which is all that clients show."""
    failure = failure_of(code)
    extensions = {
        "name": "CopilotError",
        "code": failure.code,
        "statusCode": status,
        "severity": failure.severity,
        "visibility": failure.visibility,
        "reason": code,
        "hint": hint,
        "requestId": request_id,
    }
    return {"message": in_one_text(sentence, hint, request_id), "extensions": extensions}
