"""The way to Azure's services: who we are there, and calls that are tried again, so often.

An identity signs in: the machine's own first, then whoever ran `az login`. A key is taken for an
emulator on this machine alone, from the environment. The clients' own retries are off: what is
tried again, and for how long, is decided here once for all calls.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

from azure.core.credentials_async import AsyncTokenCredential
from azure.core.exceptions import AzureError
from azure.cosmos.aio import CosmosClient
from azure.cosmos.documents import ConnectionPolicy
from azure.identity.aio import DefaultAzureCredential

from sextant.errors import ConfigError, StoreClosed
from sextant.prompting.calls.fetch import is_loopback
from sextant.settings import COSMOS_KEY_VARIABLE, AzureSettings
from sextant.stores.azure.refusals import is_passing, translate, wait_asked
from sextant.version import __version__

COSMOS = "Cosmos DB"
_FIRST_PAUSE = 0.1
"""Seconds before a second try where the service does not say how long to wait; then twice that."""

T = TypeVar("T")
Task = Callable[[], Awaitable[T]]


def new_credential() -> AsyncTokenCredential:
    """Return who we are to Azure: this machine, or whoever is signed in; nothing is asked yet."""
    return DefaultAzureCredential()


def check_endpoint(setting: str, address: str) -> str:
    """Return an endpoint without a closing slash; only an emulator on this machine has no TLS."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        parts, host = urlsplit(""), ""
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))
    if not host or not is_safe or parts.username is not None:
        raise ConfigError(
            f"The setting {setting} is {'no address' if address else 'not set'}.",
            f'Set it to the resource\'s, as in "{_EXAMPLES.get(setting, _EXAMPLES["other"])}".',
        )
    return address.rstrip("/")


_EXAMPLES = {
    "azure.cosmos_endpoint": "https://my-account.documents.azure.com:443/",
    "azure.search_endpoint": "https://my-service.search.windows.net",
    "other": "https://my-resource.azure.com",
}


async def with_retries(task: Task[T], settings: AzureSettings, what: str) -> T:
    """Run a call; errors that may pass are tried again, as late as the service asks.

    Tries and waiting are bounded by azure.retries and azure.retry_seconds, one try by
    azure.call_seconds. What is raised is an error of ours.
    """
    waited = 0.0
    for number in range(settings.retries + 1):
        try:
            async with asyncio.timeout(settings.call_seconds):
                return await task()
        except (AzureError, OSError, TimeoutError) as error:
            pause = wait_asked(error) or _backoff(number)
            waited += pause
            is_last = number == settings.retries or waited > settings.retry_seconds
            if is_last or not is_passing(error):
                raise translate(error, what) from error
        await asyncio.sleep(pause)
    raise AssertionError("The last try returns or raises.")


def _backoff(number: int) -> float:
    """Return a pause that grows with every try, and differs between those who wait together."""
    return _FIRST_PAUSE * float(2**number) * random.uniform(0.5, 1.5)  # noqa: S311 - no secret


class CosmosConnection:
    """A client of one account, which connects when it is first used."""

    def __init__(
        self, client: CosmosClient, settings: AzureSettings, credential: AsyncTokenCredential | None
    ) -> None:
        self.client, self.settings = client, settings
        self.credential = credential
        self._is_ready, self._is_closed = False, False
        self._turn = asyncio.Lock()

    async def call(self, task: Task[T]) -> T:
        """Run a call on the client, tried again where an error may pass."""
        await self._connect()
        return await with_retries(task, self.settings, COSMOS)

    async def _connect(self) -> None:
        if self._is_closed:
            raise StoreClosed("The store is closed.", "Open it again.")
        async with self._turn:
            if not self._is_ready:
                await with_retries(self.client.__aenter__, self.settings, COSMOS)
                self._is_ready = True

    async def close(self) -> None:
        """Let go of the client, and of what signs it in."""
        self._is_closed = True
        await self.client.close()
        if self.credential:
            await self.credential.close()


def open_cosmos(settings: AzureSettings, transport: Any = None) -> CosmosConnection:
    """Read where the account is, and who we are to it; nothing is connected to yet.

    A transport carries the client's requests; by default one of the client's own.
    """
    endpoint = check_endpoint("azure.cosmos_endpoint", settings.cosmos_endpoint)
    is_local = is_loopback(urlsplit(endpoint).hostname or "")
    key = os.environ.get(COSMOS_KEY_VARIABLE, "").strip() if is_local else ""
    credential = None if key else new_credential()
    policy = ConnectionPolicy()
    policy.RetryOptions._max_retry_attempt_count = 0  # noqa: SLF001 - its 0 is read as "not set"
    own = {} if transport is None else {"transport": transport}
    client = CosmosClient(
        endpoint,
        key or credential,  # type: ignore[arg-type]
        connection_policy=policy,
        connection_timeout=settings.call_seconds,
        read_timeout=settings.call_seconds,
        retry_total=0,
        # An emulator says of itself that it is elsewhere.
        enable_endpoint_discovery=not is_local,
        user_agent_suffix=f"sextant/{__version__}",
        **own,
    )
    return CosmosConnection(client, settings, credential)
