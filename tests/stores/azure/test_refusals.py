"""What an error of Azure's services means to a caller, and which calls are tried again."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from azure.core.exceptions import ClientAuthenticationError, HttpResponseError, ServiceRequestError

from sextant.errors import (
    ConfigError,
    Conflict,
    Outdated,
    PeerRefused,
    PeerUnreachable,
    SextantError,
    StoreError,
    TooLarge,
)
from sextant.settings import AzureSettings
from sextant.stores.azure.connection import check_endpoint, open_cosmos, with_retries
from sextant.stores.azure.refusals import translate


def answer(status: int, **headers: str) -> HttpResponseError:
    """Return the error that a client raises for a status."""
    response: Any = SimpleNamespace(status_code=status, reason="no", headers=headers)
    error = HttpResponseError("https://secret.example refuses")
    error.status_code, error.response = status, response
    return error


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (answer(401), PeerRefused),
        (answer(403), PeerRefused),
        (answer(404), ConfigError),
        (answer(408), PeerUnreachable),
        (answer(409), Conflict),
        (answer(412), Outdated),
        (answer(413), TooLarge),
        (answer(429), PeerUnreachable),
        (answer(449), PeerUnreachable),
        (answer(503), PeerUnreachable),
        (answer(400), StoreError),
        (TimeoutError(), PeerUnreachable),
        (ServiceRequestError("https://secret.example is down"), PeerUnreachable),
        (ClientAuthenticationError("https://secret.example knows nobody"), PeerRefused),
    ],
)
def test_every_error_is_typed_and_tells_no_address(
    error: Exception, kind: type[SextantError]
) -> None:
    found = translate(error, "Cosmos DB")
    assert type(found) is kind
    assert found.message
    assert found.hint
    assert "secret.example" not in str(found)


def test_how_long_to_wait_is_passed_on() -> None:
    found = translate(answer(429, **{"x-ms-retry-after-ms": "1500"}), "Cosmos DB")
    assert isinstance(found, PeerUnreachable)
    assert found.retry_after == 1.5


@pytest.mark.parametrize(("status", "tries"), [(429, 3), (449, 3), (503, 3), (403, 1), (412, 1)])
def test_only_what_may_pass_is_tried_again_and_not_for_ever(status: int, tries: int) -> None:
    made: list[int] = []

    async def task() -> None:
        made.append(status)
        raise answer(status, **{"retry-after": "0.001"})

    with pytest.raises(SextantError):
        asyncio.run(with_retries(task, AzureSettings(retries=2), "Cosmos DB"))
    assert len(made) == tries


def test_nobody_waits_longer_than_is_set_for_what_the_service_asks() -> None:
    made: list[int] = []

    async def task() -> None:
        made.append(1)
        raise answer(429, **{"retry-after": "3600"})

    with pytest.raises(PeerUnreachable):
        asyncio.run(with_retries(task, AzureSettings(retries=5), "Cosmos DB"))
    assert made == [1]


@pytest.mark.parametrize(
    "address",
    ["", "account", "http://account.documents.azure.com", "https://user@a", "ftp:/"],
)
def test_an_endpoint_without_tls_or_with_a_user_is_refused(address: str) -> None:
    with pytest.raises(ConfigError, match=r"azure\.cosmos_endpoint"):
        check_endpoint("azure.cosmos_endpoint", address)
    with pytest.raises(ConfigError):
        open_cosmos(AzureSettings(cosmos_endpoint=address))
