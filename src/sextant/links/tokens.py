"""Tokens that prove to other servers who we are: fetched, kept until shortly before their end.

Knows three ways to get one: our client's secret, the identity of this machine, and a token that
somebody set. Knows no server that takes them.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2

from sextant.errors import ConfigError, MissingExtra, Overloaded, SextantError, Unreachable
from sextant.prompting.calls.fetch import checked_url, fetched
from sextant.prompting.network.trust import trusted
from sextant.prompting.secrets.redact import remember
from sextant.settings import Settings
from sextant.settings.credentials import Credential, credential_for

Fetched = tuple[str, float]
"""A token, and for how many seconds it holds."""
Way = tuple[Callable[[], Awaitable[Fetched]], Callable[[], Awaitable[None]]]
"""How a token is fetched, and how what is open for that is closed."""
_EARLY_S = 300.0
_LAST_S = 5.0
_RETRY_S = 15.0
_USUAL_S = 300.0
_DAY_S = 86_400.0
_FETCH_S = 10.0
_MOST_BYTES = 128 * 1024
_TOKEN = re.compile(r"[!-~]{1,16384}")
_CODE = re.compile(r"[a-z_]{1,40}")
_log = logging.getLogger(__name__)


class Tokens:
    """Gives the token that holds now; however many wait for a new one, it is fetched once."""

    def __init__(
        self,
        fetch: Callable[[], Awaitable[Fetched]],
        close: Callable[[], Awaitable[None]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fetch = fetch
        self._close = close
        self._clock = clock
        self._token = ""
        self._renew_at = self._ends = self._since = float("-inf")
        self._task: asyncio.Task[None] | None = None

    async def token(self) -> str:
        """Return a token that holds for at least a few seconds more."""
        if self._clock() >= self._renew_at:
            if self._task is None:
                self._task = asyncio.create_task(self._renew())
            await asyncio.shield(self._task)
        return self._token

    async def instead_of(self, refused: str) -> str:
        """Return a token in place of one that a server refused; one that is new stays as it is."""
        if refused == self._token and self._clock() >= self._since + _RETRY_S:
            self._renew_at = float("-inf")
        return await self.token()

    async def close(self) -> None:
        """Fetch nothing more."""
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self._close()

    async def _renew(self) -> None:
        try:
            token, seconds = await self._fetch()
        except SextantError as error:
            if self._clock() >= self._ends:
                raise
            _log.warning("A new token cannot be had yet: %s", error.message)
            self._renew_at = min(self._ends, self._clock() + _RETRY_S)
        else:
            self._since = now = self._clock()
            self._token, self._ends = token, now + max(seconds - _LAST_S, 0.0)
            self._renew_at = min(self._ends, now + max(seconds - _EARLY_S, seconds / 2))
        finally:
            self._task = None


def open_tokens(
    settings: Settings,
    dependency: str = "",
    *,
    clock: Callable[[], float] = time.monotonic,
    fetch_seconds: float = _FETCH_S,
) -> Tokens | None:
    """Open the way to tokens for one of the servers, or for both where none is named.

    None where nobody asks who we are.
    """
    return tokens_for(credential_for(settings, dependency), clock, fetch_seconds)


def tokens_for(
    credential: Credential,
    clock: Callable[[], float] = time.monotonic,
    fetch_seconds: float = _FETCH_S,
) -> Tokens | None:
    """Open the way to tokens by a credential, if there is one."""
    way = _way(credential, fetch_seconds)
    return Tokens(*way, clock) if way else None


def _way(credential: Credential, seconds: float) -> Way | None:
    if credential.token_url and credential.managed_identity:
        raise ConfigError(
            "Both remote.token_url and remote.managed_identity are set.", "Choose one of them."
        )
    if credential.token_url:
        return _by_secret(credential, seconds)
    if credential.managed_identity:
        return _by_machine(credential, seconds)
    return _by_hand(credential) if credential.token else None


def _by_hand(credential: Credential) -> Way:
    token = credential.token
    remember(token)
    if not _TOKEN.fullmatch(token):
        raise ConfigError(
            f"What {credential.token_variable} holds is not a token.", "Copy it again, alone."
        )

    async def fetch() -> Fetched:
        return token, float("inf")

    return fetch, _nothing


def _by_secret(credential: Credential, seconds: float) -> Way:
    """Return tokens by OAuth's client credentials."""
    url = checked_url(credential.token_url, credential.setting("token_url"))
    if not credential.secret or not credential.client_id:
        what = credential.setting("client_id") if credential.secret else credential.secret_variable
        whose = credential.setting("token_url")
        raise ConfigError(f"{what} is not set.", f"{whose} wants both an id and a secret.")
    remember(credential.secret)
    form = {
        "grant_type": "client_credentials",
        "client_id": credential.client_id,
        "client_secret": credential.secret,
        **({"scope": credential.scope} if credential.scope else {}),
    }
    client = httpx2.AsyncClient(timeout=seconds, verify=trusted())

    async def fetch() -> Fetched:
        try:
            status, said = await fetched(client, url, most=_MOST_BYTES, seconds=seconds, form=form)
        except Unreachable as error:
            raise _later(error.message) from None
        return _read(status, said if isinstance(said, dict) else {}, credential)

    return fetch, client.aclose


def _read(status: int, said: dict[str, Any], credential: Credential) -> Fetched:
    if status in (httpx2.codes.BAD_REQUEST, httpx2.codes.UNAUTHORIZED, httpx2.codes.FORBIDDEN):
        code = str(said.get("error"))
        raise ConfigError(
            f"The token server refuses us ({code if _CODE.fullmatch(code) else status}).",
            f"Check {credential.setting('client_id')}, {credential.setting('scope')} and "
            f"{credential.secret_variable}.",
        )
    token, seconds = said.get("access_token"), said.get("expires_in", _USUAL_S)
    is_token = isinstance(token, str) and _TOKEN.fullmatch(token)
    is_bearer = str(said.get("token_type", "bearer")).lower() == "bearer"
    if status != httpx2.codes.OK or not is_token or not is_bearer:
        raise _later(f"The token server answers with status {status} and no token.")
    try:
        return str(token), min(max(float(seconds), 0.0), _DAY_S)
    except (TypeError, ValueError):
        return str(token), _USUAL_S


def _by_machine(credential: Credential, seconds: float) -> Way:
    """Return tokens for the identity that Azure gave this machine, or whoever is signed in."""
    if not credential.scope:
        raise ConfigError(
            f"{credential.setting('scope')} is not set.",
            "Name one, as in api://APPLICATION/.default.",
        )
    try:
        from azure.core.exceptions import AzureError, ClientAuthenticationError
        from azure.identity import DefaultAzureCredential
    except ImportError:
        raise MissingExtra(
            "remote.managed_identity needs the package azure-identity, which is not installed.",
            "Run: pip install 'sextant[azure]'",
        ) from None
    # The one that blocks, in a thread: the other needs an HTTP client that nothing else here does.
    client_id, scope = credential.client_id, credential.scope
    azure = DefaultAzureCredential(
        **({"managed_identity_client_id": client_id} if client_id else {})
    )

    async def fetch() -> Fetched:
        try:
            async with asyncio.timeout(seconds):
                got = await asyncio.to_thread(azure.get_token, scope)
        except ClientAuthenticationError:
            raise ConfigError(
                "Azure gives this machine no token.", "Give it a managed identity, or `az login`."
            ) from None
        except (AzureError, TimeoutError):
            raise _later("Azure's sign-in cannot be reached.") from None
        return got.token, max(got.expires_on - time.time(), 0.0)

    async def close() -> None:
        await asyncio.to_thread(azure.close)

    return fetch, close


def _later(reason: str) -> Overloaded:
    _log.warning("There is no token for other servers: %s", reason)
    return Overloaded(
        "This server cannot prove who it is to the others now.", "Try again later.", _RETRY_S
    )


async def _nothing() -> None:
    pass
