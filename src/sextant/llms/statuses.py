"""What a provider's HTTP status, or a failing connection, means in our tree. Knows no SDK."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx2

from sextant.errors import (
    BrokenStream,
    ModelAuthentication,
    ModelError,
    ModelNotFound,
    ModelRateLimited,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
)
from sextant.prompting.secrets.redact import redacted

_READ, _SHOWN = 10_000, 300
"""Characters that are looked at, and that are told, of what a provider says."""


def error_for(
    status: int,
    provider: str,
    said: str = "",
    headers: Mapping[str, str] | None = None,
    variable: str = "the key",
) -> ModelError:
    """Return the error that this status of this provider, whose key is in this variable, means."""
    error = _meaning(status, provider, said, retry_after(headers or {}), variable)
    error.status = status
    return error


def _meaning(status: int, provider: str, said: str, wait: float, variable: str) -> ModelError:
    told = f": {shown(said)}" if shown(said) else "."
    match status:
        case 401 | 403:
            return ModelAuthentication(
                f"{provider} does not accept the key ({status}){told}",
                f"Check {variable}, and what it may be used for.",
            )
        case 404 | 410:
            return ModelNotFound(
                f"{provider} knows no such model or address ({status}){told}",
                "Check the setting llm.",
            )
        case 408:
            return ModelTimeout(f"{provider} gave up waiting ({status}){told}", "Try again.", wait)
        case 429:
            return ModelRateLimited(
                f"{provider} wants fewer calls ({status}){told}",
                "Wait, or ask the provider for a higher limit.",
                wait,
            )
        case _ if 300 <= status < 400:
            return ModelNotFound(f"{provider} has moved ({status}){told}", "Correct its address.")
        case _ if 400 <= status < 500 and status not in (409, 425):
            return ModelRejected(
                f"{provider} does not take this request ({status}){told}",
                "It may be too long, or ask for something that the model cannot do.",
            )
        case _ if status >= 400:
            return ModelUnavailable(
                f"{provider} is out of order ({status}){told}", "Try again later.", wait
            )
    return BrokenStream(f"{provider} broke off{told}", "Try again.")


def unreachable(error: Exception, provider: str) -> ModelError:
    """Return the error that a failing connection means."""
    match error:
        case httpx2.TimeoutException():
            return ModelTimeout(
                f"{provider} did not answer in time.",
                "Try again, or allow more: model.connect_seconds, model.read_seconds.",
            )
        case httpx2.UnsupportedProtocol() | httpx2.InvalidURL():
            return ModelNotFound(f"{provider} has no valid address.", "Correct its address.")
        case httpx2.ConnectError() | httpx2.ProxyError():
            return ModelUnavailable(
                f"{provider} cannot be connected to.",
                "Check the address and the network, and whether the server runs.",
            )
    return broken(provider)


def broken(provider: str) -> BrokenStream:
    """Return the error for what is no reply, or stopped before its end."""
    return BrokenStream(
        f"The reply of {provider} broke off, or is none.",
        "Try again; if it stays so, check the address: something else may be answering there.",
    )


def closed() -> ModelError:
    """Return the error for whoever asks a closed model."""
    return ModelError("The model was closed.", "Open a new one.")


def shown(said: str) -> str:
    """Return what of a provider's words can be told: no page of HTML, not for ever, no key."""
    said = " ".join(said[:_READ].split())
    return "" if said.startswith("<") else redacted(said)[:_SHOWN]


def retry_after(headers: Mapping[str, str]) -> float:
    """Return for how many seconds a provider wants to be left alone; 0 if it does not say."""
    lower = {name.lower(): value for name, value in headers.items()}
    if "retry-after-ms" in lower:
        return _seconds(lower["retry-after-ms"]) / 1000
    said = lower.get("retry-after", "")
    return _seconds(said) or _until(said)


def _seconds(said: str) -> float:
    try:
        seconds = float(said)
    except ValueError:
        return 0.0
    return max(0.0, seconds) if math.isfinite(seconds) else 0.0


def _until(said: str) -> float:
    try:
        then = parsedate_to_datetime(said)
    except ValueError:
        return 0.0
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (then - datetime.now(UTC)).total_seconds())
