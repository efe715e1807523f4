"""One table: what an error is called in each protocol, and what of it a caller may read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from sextant import errors
from sextant.errors import HIDDEN, HIDDEN_HINT, SextantError, public_words

INVALID_PARAMS = -32602
INTERNAL = -32603
NOT_FOUND = -32002
REFUSED = -32001
BUSY = -32000


@dataclass(frozen=True, slots=True)
class Shown:
    """An error as protocols tell it; the sentence is for whoever asked."""

    status: int
    rpc: int
    title: str
    code: str
    sentence: str
    hint: str
    retry_after: float = 0.0


_TABLE: tuple[tuple[type[SextantError], int, int, str], ...] = (
    (errors.TooLarge, 413, INVALID_PARAMS, "Too large"),
    (errors.InvalidInput, 422, INVALID_PARAMS, "Invalid input"),
    (errors.Unauthenticated, 401, REFUSED, "Not authenticated"),
    (errors.Forbidden, 403, REFUSED, "Not allowed"),
    (errors.RateLimited, 429, BUSY, "Too many requests"),
    (errors.Overloaded, 503, BUSY, "Overloaded"),
    (errors.NotFound, 404, NOT_FOUND, "Not found"),
    (errors.Conflict, 409, INVALID_PARAMS, "Conflict"),
    (errors.CommitUnknown, 409, INVALID_PARAMS, "Conflict"),
    (errors.GuardrailUnavailable, 503, BUSY, "Not checked"),
    (errors.GuardrailDenied, 403, REFUSED, "Not allowed"),
    (errors.NoModel, 409, INVALID_PARAMS, "No model"),
    (errors.TooManyActions, 503, INTERNAL, "Not finished"),
    (errors.ReadError, 422, INVALID_PARAMS, "Cannot be read"),
    (errors.ModelUnreachable, 503, BUSY, "A model is not available"),
    (errors.ModelError, 503, BUSY, "A model is not available"),
    (errors.PeerError, 503, BUSY, "Another server is not available"),
    (errors.StoreBusy, 503, BUSY, "Busy"),
    (errors.IndexBehind, 503, BUSY, "Busy"),
    (errors.SextantError, 503, INTERNAL, "Not available"),
)
_RETRY_S = 5.0


def shown(error: SextantError) -> Shown:
    """Return how an error is told; what only an operator may read is not."""
    status, rpc, title = next(
        (status, rpc, title) for kind, status, rpc, title in _TABLE if isinstance(error, kind)
    )
    sentence, hint = public_words(error)
    retry = getattr(error, "retry_after", 0.0) or (_RETRY_S if status == 503 else 0.0)
    return Shown(status, rpc, title, error.code, sentence, hint, retry)


def in_one_text(sentence: str, hint: str, request_id: str) -> str:
    """Return an error for clients that show one text and nothing else.

    Where its hint asks to quote the id of the request, that has to stand there, too.
    """
    quoted = f"The request id is {request_id}." if request_id and hint == HIDDEN_HINT else ""
    return " ".join(filter(None, (sentence, hint, quoted)))


def hidden() -> Shown:
    """Return how something is told that nobody foresaw."""
    return Shown(503, INTERNAL, "Not available", "internal", HIDDEN, HIDDEN_HINT, _RETRY_S)


@dataclass(frozen=True, slots=True)
class Failure:
    """An error as CopilotKit's clients tell them apart, and where they show it."""

    code: str
    status: int
    severity: str
    visibility: str


UNKNOWN = Failure("UNKNOWN", 500, "critical", "toast")
_MISUSE = Failure("MISUSE", 400, "warning", "toast")
_STRANGER = Failure("AUTHENTICATION_ERROR", 401, "critical", "banner")
_NETWORK = Failure("NETWORK_ERROR", 503, "critical", "banner")
_MISCONFIGURED = Failure("CONFIGURATION_ERROR", 500, "critical", "banner")
_FAILURES: tuple[tuple[type[SextantError], Failure], ...] = (
    (errors.InvalidInput, _MISUSE),
    (errors.Denied, _STRANGER),
    (errors.Overloaded, _NETWORK),
    (errors.AgentNotFound, Failure("AGENT_NOT_FOUND", 404, "critical", "banner")),
    (errors.NotFound, Failure("NOT_FOUND", 404, "critical", "banner")),
    (errors.Conflict, _MISUSE),
    (errors.GuardrailUnavailable, _NETWORK),
    (errors.GuardrailDenied, _MISUSE),
    (errors.ConfigError, _MISCONFIGURED),
    (errors.NoModel, _MISCONFIGURED),
    (errors.ModelAuthentication, _STRANGER),
    (errors.ModelNotFound, _MISCONFIGURED),
    (errors.ModelError, _NETWORK),
    (errors.PeerError, _NETWORK),
    (errors.StoreBusy, _NETWORK),
    (errors.IndexBehind, _NETWORK),
)
_BY_CODE = {
    "invalid_json": _MISUSE,
    "method_not_allowed": _MISUSE,
    "too_slow": _NETWORK,
    "unsupported_media_type": _MISUSE,
    "wrong_host": _MISCONFIGURED,
    "wrong_origin": _STRANGER,
}
"""What guards refuse that is no error of the tree."""


def failure_of(code: str) -> Failure:
    """Return how CopilotKit's clients are told of an error, by the code that it has here."""
    return _known_failures().get(code, UNKNOWN)


@cache
def _known_failures() -> dict[str, Failure]:
    found = dict(_BY_CODE)
    for kind in _kinds(SextantError):
        failure = next((one for known, one in _FAILURES if issubclass(kind, known)), UNKNOWN)
        found.setdefault(kind.code, failure)
    return found


def _kinds(kind: type[SextantError]) -> Iterator[type[SextantError]]:
    yield kind
    for one in kind.__subclasses__():
        yield from _kinds(one)
