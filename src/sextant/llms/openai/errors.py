"""From what the SDK raises to errors of ours, with what to do about it. Tells no key."""

from __future__ import annotations

import re
from collections.abc import Mapping

import openai

from sextant.errors import (
    ModelAuthentication,
    ModelError,
    ModelNotFound,
    ModelRateLimited,
    ModelRefused,
    ModelRejected,
)
from sextant.llms.openai.peer import LIMIT, OLD_LIMIT, Peer
from sextant.llms.statuses import broken, error_for, shown, unreachable

FAILURES = (openai.OpenAIError, ValueError, TypeError, AttributeError, LookupError)
"""What the SDK raises, and what comes of a reply that is none."""

_NAMED = re.compile(rf"['\"`](temperature|{LIMIT}|{OLD_LIMIT}|stream_options)['\"`]")
_UNTAKEN = ("unsupported_parameter", "unsupported_value", "unknown_parameter")
_TOO_LONG = ("context_length_exceeded", "exceed_context_size_error")
_FILTERS = ("content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation")
_STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "server_error": 500,
    "overloaded_error": 503,
}
"""What an error within a stream stands for, which has no status."""


def model_error(error: Exception, peer: Peer) -> ModelError:
    """Return the error of ours that says the same."""
    match error:
        case openai.APIStatusError():
            return _by_status(error.status_code, error, peer)
        case openai.APIConnectionError():
            cause = error.__cause__
            return unreachable(cause if isinstance(cause, Exception) else error, peer.name)
        case openai.APIError():
            return _by_status(_status_in(error), error, peer)
        case UnicodeEncodeError():
            return ModelRejected(
                "The prompt holds half of a surrogate pair, which is not text.",
                "Decode the source with errors='replace'.",
            )
    return broken(peer.name)


def refused_word(error: openai.BadRequestError) -> str:
    """Return the part of a request that a server does not take, where it says which."""
    if error.code in _UNTAKEN or error.param == "response_format":
        return error.param or _named_parameter(error)
    return "" if error.code or error.param else _named_parameter(error)


def _named_parameter(error: openai.BadRequestError) -> str:
    found = _NAMED.search(error.message)
    return found[1] if found else ""


def _by_status(status: int, error: openai.APIError, peer: Peer) -> ModelError:
    said, codes = _server_message(error), _codes(error)
    if not codes.isdisjoint(_FILTERS):
        return ModelRefused(f"{peer.name} declines to answer this.", "Ask in other words.")
    if not codes.isdisjoint(_TOO_LONG):
        return ModelRejected(
            f"The prompt is too long for {peer.name}: {said}", "Use a model that reads more."
        )
    # Some servers call it a failure of their own when they are asked for what they cannot do.
    if status >= 500 and ("not supported" in said or status == 501):
        status = 400
    response = getattr(error, "response", None)
    wrong = error_for(status, peer.name, said, response.headers if response is not None else {})
    wrong.hint = _hint(wrong, codes, peer) or wrong.hint
    return wrong


def _hint(wrong: ModelError, codes: set[str], peer: Peer) -> str:
    match wrong:
        case ModelAuthentication() if peer.key:
            return f"Check {peer.key}, and what it may be used for."
        case ModelNotFound() if peer.model:
            return f"Is {peer.model} the right name, and is the address right?"
        case ModelRateLimited() if "insufficient_quota" in codes:
            return "The account has no credit left: add some."
    return ""


def _server_message(error: openai.APIError) -> str:
    """Return what the server said; a body that is no JSON, such as a page, says nothing."""
    reason = error.body.get("message") if isinstance(error.body, Mapping) else None
    return shown(reason) if isinstance(reason, str) else ""


def _codes(error: openai.APIError) -> set[str]:
    inner = error.body.get("innererror") if isinstance(error.body, Mapping) else None
    codes = (error.code, error.type, inner.get("code") if isinstance(inner, Mapping) else None)
    return {str(code) for code in codes if code}


def _status_in(error: openai.APIError) -> int:
    if error.code and re.fullmatch(r"[1-5]\d\d", error.code):
        return int(error.code)
    return _STATUSES.get(error.code or "") or _STATUSES.get(error.type or "", 0)
