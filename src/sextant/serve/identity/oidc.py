"""The mode ``oidc``: tokens of Entra ID or any other issuer. Knows how they are checked, not read.

A token that held is remembered for a moment, never beyond its end: checking one takes longer than
all else that is done here.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

import httpx2

from sextant.errors import ConfigError, Unreachable
from sextant.prompting.calls.fetch import checked_url
from sextant.prompting.network.trust import trusted
from sextant.serve.caller import Caller
from sextant.serve.identity.claims import Reading
from sextant.serve.identity.jwks import ALGORITHMS, KeyRing, SigningKey, signing_keys
from sextant.serve.identity.metadata import TENANT, home_of, listed, resource_of
from sextant.serve.identity.refusals import wrong_token
from sextant.serve.identity.signed import (
    FETCH_S,
    check_shape,
    fetch_document,
    read_claims,
    read_header,
)
from sextant.settings import Settings

_REMEMBER_S = 30.0
_MOST_REMEMBERED = 4_096
_HINT = "Check oidc.issuer and oidc.keys."
_DISCOVERY = "/.well-known/openid-configuration"


class Oidc:
    """Lets in whoever has a token of the issuer for this server."""

    def __init__(self, settings: Settings, ring: KeyRing, client: httpx2.AsyncClient) -> None:
        self._algorithms = _checked_algorithms(settings)
        self._audiences = _audiences(settings)
        self._leeway = settings.oidc.leeway_seconds
        self._reading = Reading(settings, self._audiences)
        self._ring = ring
        self._client = client
        self._remembered = dict[bytes, tuple[float, Caller]]()

    async def caller(self, token: str | None) -> Caller:
        """Return whom the issuer says this is."""
        token = check_shape(token)
        digest = hashlib.sha256(token.encode()).digest()
        until, caller = self._remembered.get(digest, (0.0, None))
        if caller is None or until <= time.time():
            caller = await self._checked(token)
            self._remember(digest, caller)
        return caller

    async def close(self) -> None:
        """Fetch nothing more."""
        await self._ring.close()
        await self._client.aclose()

    async def _checked(self, token: str) -> Caller:
        key_id, algorithm = read_header(token, self._algorithms)
        key = await self._ring.key(key_id, algorithm)
        if key is None:
            raise wrong_token()
        claims = read_claims(token, key, algorithm, self._audiences, self._leeway)
        return self._reading.caller(claims, key.issuer)

    def _remember(self, digest: bytes, caller: Caller) -> None:
        if len(self._remembered) >= _MOST_REMEMBERED:
            del self._remembered[next(iter(self._remembered))]
        self._remembered[digest] = (min(caller.expires, time.time() + _REMEMBER_S), caller)


def open_oidc(
    settings: Settings,
    *,
    clock: Callable[[], float] = time.monotonic,
    fetch_seconds: float = FETCH_S,
) -> Oidc:
    """Open the issuer's way in; its keys are fetched when the first token comes."""
    check_issuer(settings)
    client = httpx2.AsyncClient(timeout=fetch_seconds, verify=trusted())

    async def fetch() -> Sequence[SigningKey]:
        ask = partial(fetch_document, client, fetch_seconds, _HINT)
        url = settings.oidc.keys or await _keys_url(ask, settings.oidc.issuer)
        return signing_keys(await ask(url))

    return Oidc(settings, KeyRing(fetch, clock), client)


def check_issuer(settings: Settings) -> None:
    """Refuse settings that name no issuer whose tokens could be checked."""
    if not settings.oidc.issuer:
        raise ConfigError(
            "oidc.issuer is not set.",
            "Name who gives out tokens, as in https://login.microsoftonline.com/{tenantid}/v2.0.",
        )
    if TENANT in settings.oidc.issuer and not listed(settings.oidc.tenants):
        raise ConfigError(
            f"oidc.issuer has {TENANT}, so it vouches for every directory there is, and "
            "oidc.tenants lists none.",
            "List the directories that may come in, by their ids, or write one into oidc.issuer.",
        )
    checked_url(home_of(settings.oidc.issuer), "oidc.issuer")
    _audiences(settings)
    _checked_algorithms(settings)


async def _keys_url(ask: Callable[[str], Awaitable[Any]], issuer: str) -> str:
    document = await ask(home_of(issuer).rstrip("/") + _DISCOVERY)
    named = document.get("issuer") if isinstance(document, dict) else None
    if named != issuer:
        raise Unreachable(
            f"The issuer calls itself {str(named)[:200]!r}, not as oidc.issuer does.",
            "Write oidc.issuer as the issuer does, to the letter.",
        )
    return str(document.get("jwks_uri"))


def _audiences(settings: Settings) -> list[str]:
    named = listed(settings.oidc.audience)
    if not named and settings.serve.public_url:
        named = [resource_of(settings.serve.public_url)]
    if not named:
        raise ConfigError(
            "oidc.audience is not set.",
            "Name this server's application id, or its URI as in api://…, as tokens have it.",
        )
    return named


def _checked_algorithms(settings: Settings) -> frozenset[str]:
    named = frozenset(listed(settings.oidc.algorithms))
    if not named or named - ALGORITHMS:
        raise ConfigError(
            f"oidc.algorithms is {settings.oidc.algorithms!r}.",
            f"Use some of {', '.join(sorted(ALGORITHMS))}: only those cannot be forged here.",
        )
    return named
