"""What becomes of the errors of Azure's services: typed, and without an address or a token."""

from __future__ import annotations

from azure.core.exceptions import (
    AzureError,
    ClientAuthenticationError,
    HttpResponseError,
)

from sextant.errors import (
    ConfigError,
    Conflict,
    Outdated,
    PeerRefused,
    PeerUnreachable,
    SextantError,
    StoreError,
    StoreFull,
    StoreUnwritable,
    TooLarge,
)

PASSING = frozenset({408, 410, 429, 449, 500, 502, 503, 504})
"""Statuses after which the same call may succeed: 449 is Cosmos DB's own "retry with"."""

_QUOTA = 1014  # the substatus of 403 in Cosmos DB when a logical partition holds its 20 GB
_SIGN_IN = "Run `az login`, or give this machine a managed identity."
_RIGHTS = "Run `sextant azure check`: it says who we are to the service and which role is missing."


def is_passing(error: BaseException) -> bool:
    """Whether the same call may succeed later."""
    if isinstance(error, ClientAuthenticationError):
        return False
    if isinstance(error, HttpResponseError):
        return error.status_code in PASSING
    return isinstance(error, (AzureError, OSError, TimeoutError))


def is_signed_out(error: SextantError) -> bool:
    """Whether a call was not refused but never made: there was no token for it."""
    return _has_no_token(error.__cause__)


def _has_no_token(error: BaseException | None) -> bool:
    return isinstance(error, ClientAuthenticationError) and error.status_code is None


def wait_asked(error: BaseException) -> float:
    """Return how many seconds the service asks to wait; 0 where it says nothing."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    if not headers:
        headers = getattr(error, "headers", None) or {}
    for name, unit in (("x-ms-retry-after-ms", 1_000), ("retry-after", 1)):
        text = str(headers.get(name, "")).strip()
        if text.replace(".", "", 1).isdecimal():
            return float(text) / unit
    return 0.0


def translate(error: BaseException, what: str) -> SextantError:
    """Return what an error of a client, or of the network, means to a caller."""
    if _has_no_token(error):
        return PeerRefused(f"Azure issued no token for {what}.", _SIGN_IN)
    if isinstance(error, HttpResponseError) and error.status_code is not None:
        return _refusal(error, error.status_code, what)
    slow = isinstance(error, TimeoutError)
    state = "did not answer in time" if slow else "cannot be reached"
    return PeerUnreachable(f"{what} {state}.", "Check its endpoint in [azure], and try again.")


def _refusal(error: HttpResponseError, status: int, what: str) -> SextantError:
    if status in (401, 403):
        return _denied(error, what)
    if status == 404:
        return ConfigError(
            f"{what} has no such database, container or index.",
            "Check the names in [azure], or run `sextant azure init` to make what is missing.",
        )
    if status == 409:
        return Conflict("The item is there already.", "Read it, and try again.")
    if status == 412:
        return Outdated("The item has changed since it was read.", "Read it again.")
    if status == 413:
        return TooLarge(f"An item is larger than {what} takes.", "Split the document.")
    if status == 429:
        wait = wait_asked(error)
        return PeerUnreachable(
            f"{what} is asked for more than its throughput allows.",
            "Try again later, or give it more request units or replicas.",
            wait,
        )
    if status in PASSING:
        return PeerUnreachable(f"{what} is not available (status {status}).", "Try again.")
    return StoreError(f"{what} refuses a call with status {status}.", "Its metrics say more.")


def _denied(error: HttpResponseError, what: str) -> SextantError:
    if getattr(error, "sub_status", None) == _QUOTA:
        return StoreFull(
            "A tenant has reached the 20 GB of one partition in Cosmos DB.",
            "Remove documents of the tenant, or divide it into several tenants.",
        )
    return PeerRefused(f"{what} does not let us in.", _RIGHTS)


def read_only() -> StoreUnwritable:
    """Somebody else fills these containers."""
    return StoreUnwritable(
        "The containers in Azure are read only here.",
        "Write with what fills them, or set azure.read_only to false for containers of our own.",
    )
