"""How REST refuses: every error, of ours or of the framework, becomes a problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from http import HTTPStatus

from sextant.serve.http.problem import Headers, Problem
from sextant.serve.wire.common.faults import Fault

_MOST_ERRORS = 20
_WHOLE = "body"
_SEE = "See /openapi.json for what there is."


class Refused(Exception):
    """What only HTTP can be wrong about: a path, a body, a media type, a precondition."""

    def __init__(
        self, status: int, code: str, sentence: str, hint: str = "", headers: Headers = ()
    ) -> None:
        super().__init__(sentence)
        self.problem = Problem(status, code, HTTPStatus(status).phrase, sentence, hint, headers)


def nothing_here() -> Refused:
    """Return that a path leads nowhere."""
    return Refused(404, "not_found", "There is nothing here.", _SEE)


def not_allowed(methods: Sequence[str]) -> Refused:
    """Return that something else can be done here."""
    return Refused(
        405,
        "method_not_allowed",
        "This cannot be done here.",
        f"Use {' or '.join(methods)} here. {_SEE}",
        (("allow", ", ".join(methods)),),
    )


def misshapen(faults: Sequence[Fault]) -> Refused:
    """Return why a request is refused whose fields are not as they should be."""
    told = [{"field": one.field or _WHOLE, "message": one.message} for one in faults]
    first = told[0]
    end = "" if first["message"].endswith((".", "?")) else "."
    refused = Refused(
        422,
        "invalid_input",
        f"The request has the wrong shape: {first['field']}: {first['message']}{end}",
        "Correct the fields that errors names; /openapi.json has the shape.",
    )
    errors = tuple(told[:_MOST_ERRORS])
    refused.problem = replace(refused.problem, title="Invalid input", errors=errors)
    return refused
