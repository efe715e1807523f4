"""Who sends activities: the channel service of Microsoft, or an app that is listed. Knows no body.

The check of the Agents SDK takes every issuer unless it is told otherwise, compares hosts only, and
fetches keys from fixed addresses; here all of it is strict, and the keys are those of `jwks`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

import httpx2
import jwt
from starlette.types import Scope

from sextant.errors import ConfigError, Unauthenticated
from sextant.prompting.calls.fetch import checked_url, is_loopback
from sextant.prompting.network.trust import trusted
from sextant.serve.caller import Caller, Role
from sextant.serve.identity.bearer import token_of
from sextant.serve.identity.jwks import KeyRing, SigningKey, signing_keys
from sextant.serve.identity.metadata import TENANT
from sextant.serve.identity.refusals import wrong_token
from sextant.serve.identity.signed import (
    FETCH_S,
    check_shape,
    fetch_document,
    read_claims,
    read_header,
)
from sextant.settings import M365Settings, Settings

_ALGORITHMS = frozenset({"RS256"})
"""What Bot Framework and Entra ID sign with."""
_LEEWAY_S = 300.0
"""How far clocks may be apart, as the authentication reference of the Bot Connector has it."""
_ENTRA_V1 = "https://sts.windows.net/{tenantid}/"
_ENTRA_KEYS = "/common/discovery/v2.0/keys"
_HINT = "Check m365.keys and m365.authority."
_ROLES = frozenset({Role.SEARCH, Role.ON_BEHALF})


@dataclass(frozen=True, slots=True)
class Proof:
    """What the token of a request proves: where replies may go, for which directory and channels.

    A channel's token names the service that it speaks for; an app's names its directory. Without
    either nobody was asked.
    """

    claims: Mapping[str, Any] = field(default_factory=dict)
    service_url: str = ""
    directory: str = ""
    channels: frozenset[str] = frozenset()


class ChannelTokens:
    """Lets in who has a token for this bot, of the channel service or of a listed app."""

    def __init__(self, settings: Settings, client: httpx2.AsyncClient) -> None:
        self._m365, self._client = settings.m365, client
        self._home = settings.serve.tenant
        self._audiences = [settings.m365.app_id, f"api://{settings.m365.app_id}"]
        self._directories = directories_of(settings.m365)
        self._callers = {settings.m365.app_id, *settings.m365.callers}
        authority = settings.m365.authority.rstrip("/")
        self._entra_issuers = (f"{authority}/{TENANT}/v2.0", _ENTRA_V1)
        self._channel_keys = _ring(client, settings.m365.keys)
        self._entra_keys = _ring(client, authority + _ENTRA_KEYS)

    async def caller(self, scope: Scope) -> Caller:
        """Return who sends an activity; what its token proves is left in the state."""
        proof = Proof()
        if not self._m365.anonymous:
            proof = await self._checked(check_shape(token_of(scope)))
        scope["state"]["m365"] = proof
        return Caller("m365", self._home, roles=_ROLES)

    def brings_proof(self, scope: Scope) -> bool:
        """Whether there is a token."""
        return token_of(scope) is not None

    def challenge(self, scope: Scope, error: str = "", needs: Iterable[Role] = ()) -> str:  # noqa: ARG002
        """Return what is told to who was refused."""
        return 'Bearer realm="sextant"' + (f', error="{error}"' if error else "")

    async def close(self) -> None:
        """Fetch nothing more."""
        await self._channel_keys.close()
        await self._entra_keys.close()
        await self._client.aclose()

    async def _checked(self, token: str) -> Proof:
        key_id, algorithm = read_header(token, _ALGORITHMS)
        issuer, directory = _origin_of(token)
        is_channel = issuer == self._m365.issuer
        if not is_channel and not self._is_entra(issuer, directory):
            raise Unauthenticated(
                "The token is from another issuer.", "Only the channel service may send this."
            )
        ring = self._channel_keys if is_channel else self._entra_keys
        key = await ring.key(key_id, algorithm)
        if key is None:
            raise wrong_token()
        claims = read_claims(token, key, algorithm, self._audiences, _LEEWAY_S)
        return _channel_proof(claims, key) if is_channel else self._entra_proof(claims, key)

    def _is_entra(self, issuer: str, directory: str) -> bool:
        issuers = (one.replace(TENANT, directory) for one in self._entra_issuers)
        return directory in self._directories and issuer in issuers

    def _entra_proof(self, claims: Mapping[str, Any], key: SigningKey) -> Proof:
        """Return what an app proves; only listed ones may say for whom they ask."""
        directory = str(claims.get("tid", "")).lower()
        if key.issuer and claims["iss"] not in (
            key.issuer.replace(TENANT, directory),
            _ENTRA_V1.replace(TENANT, directory),
        ):
            raise wrong_token()
        app = claims.get("azp") or claims.get("appid")
        if app not in self._callers:
            raise Unauthenticated(
                "The token is of an app that is not let in.", "List its id in m365.callers."
            )
        return Proof(claims, directory=directory)


def proof_of(scope: Scope) -> Proof:
    """Return what the token of a request proved."""
    return cast(Proof, scope["state"]["m365"])


def open_tokens(settings: Settings) -> ChannelTokens:
    """Open the way in for channels; keys are fetched when the first token comes."""
    check_identity(settings)
    return ChannelTokens(settings, httpx2.AsyncClient(timeout=FETCH_S, verify=trusted()))


def check_identity(settings: Settings) -> None:
    """Refuse settings by which no channel could come in, or anybody."""
    m365 = settings.m365
    if m365.anonymous:
        if not is_loopback(settings.serve.host):
            raise ConfigError(
                "With m365.anonymous the server listens on this machine only.",
                "Set serve.host to 127.0.0.1, or m365.app_id and leave m365.anonymous out.",
            )
        return
    if not m365.app_id:
        raise ConfigError(
            "m365.app_id is not set.",
            "Name the bot's application id, or set m365.anonymous for a look on this machine.",
        )
    if not directories_of(m365):
        raise ConfigError(
            "Neither m365.tenant_id nor m365.tenants says whose people may ask.",
            "Name the directories by their ids.",
        )
    for name in ("authority", "keys"):
        checked_url(getattr(m365, name), f"m365.{name}")


def directories_of(m365: M365Settings) -> frozenset[str]:
    """Return the directories whose people may ask."""
    named = [m365.tenant_id, *(one.id for one in m365.tenants)]
    return frozenset(one.lower() for one in named if one)


def _channel_proof(claims: Mapping[str, Any], key: SigningKey) -> Proof:
    service_url = claims.get("serviceurl") or claims.get("serviceUrl")
    if not isinstance(service_url, str):
        raise Unauthenticated(
            "The token does not say for which service it is.", "Send one of the channel service."
        )
    return Proof(claims, service_url, channels=key.endorsements)


def _origin_of(token: str) -> tuple[str, str]:
    """Return issuer and directory as a token claims them; only where to look for its key."""
    try:
        claims = jwt.decode(token, options={"verify_signature": False})
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise wrong_token() from None
    return str(claims.get("iss", "")), str(claims.get("tid", "")).lower()


def _ring(client: httpx2.AsyncClient, url: str) -> KeyRing:
    ask = partial(fetch_document, client, FETCH_S, _HINT)

    async def fetch() -> Sequence[SigningKey]:
        return signing_keys(await ask(url))

    return KeyRing(fetch)
