"""What the body of a message has to be said to be over HTTP: JSON, and nothing like it."""

from __future__ import annotations

from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Scope

from sextant.serve.http.problem import Problem

_NAME, _JSON = "content-type", "application/json"
NO_JSON = Problem(
    415,
    "unsupported_media_type",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE.phrase,
    "The body is not said to be JSON.",
    f"Send {_JSON} in UTF-8.",
)


def said_to_be_json(scope: Scope) -> Scope | None:
    """Return a request for JSON, spelt as the SDK takes it; nothing if it is for anything else."""
    kind = Headers(scope=scope).get(_NAME, "").partition(";")[0].strip()
    if kind == _JSON:
        return scope
    if kind.lower() != _JSON:
        return None
    headers = MutableHeaders(raw=list(scope["headers"]))
    headers[_NAME] = _JSON
    return {**scope, "headers": headers.raw}
