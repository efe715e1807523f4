"""How replies reach a channel: as whom, to which hosts, and over which connections.

The SDK's clients send; here is what they lack: a list of hosts that is on, a time limit, and
connections that outlive a turn.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from aiohttp import ClientSession, ClientTimeout
from microsoft_agents.authentication.msal import MsalAuth
from microsoft_agents.hosting.core import (
    AgentAuthConfiguration,
    ChannelServiceClientFactoryBase,
    OutboundHostValidator,
    TurnContext,
)
from microsoft_agents.hosting.core.authorization import AnonymousTokenProvider, ClaimsIdentity
from microsoft_agents.hosting.core.authorization.auth_types import AuthTypes
from microsoft_agents.hosting.core.connector.client import UserTokenClient
from microsoft_agents.hosting.core.connector.teams import TeamsConnectorClient

from sextant.errors import ConfigError, Forbidden, PeerRefused
from sextant.prompting.calls.fetch import is_loopback
from sextant.prompting.secrets.redact import remember
from sextant.settings import M365_SECRET_VARIABLE, M365Settings, Settings, read_secret_variable

_CHANNEL_HOSTS = (
    "botframework.com",
    "botframework.azure.us",
    "smba.trafficmanager.net",
    "teams.microsoft.com",
    "teams.microsoft.us",
    "smba.infra.gov.teams.microsoft.us",
)
"""Where the services of channels are; of the SDK's own list those where nobody else can write."""
_MOST_SERVICES = 16
"""Services that connections are kept to: Teams has one for each region."""
_MANY_DIRECTORIES = "botframework.com"
"""Where a bot for many directories gets its tokens."""
_TOKEN_SERVICE = "https://api.botframework.com"  # noqa: S105 - an address


class TokenProvider(Protocol):
    """Gives tokens that prove to a channel who we are."""

    async def get_access_token(
        self, resource_url: str, scopes: list[str], force_refresh: bool = False
    ) -> str:
        """Return a token for a resource."""


class Connectors(ChannelServiceClientFactoryBase):
    """Makes the clients by which the SDK's adapter replies."""

    def __init__(self, settings: Settings) -> None:
        self._m365 = settings.m365
        self._is_local = is_loopback(settings.serve.host)
        self._provider = token_provider(settings.m365)
        self._timeout = ClientTimeout(total=settings.m365.send_seconds)
        self._validator = OutboundHostValidator(
            [*_CHANNEL_HOSTS, *settings.m365.hosts],
            enabled=True,
            include_default_microsoft_hosts=False,
        )
        self._clients: dict[str, _LastingClient] = {}
        self._user_tokens: _LastingTokens | None = None

    def check_service(self, url: str) -> None:
        """Refuse a service that no reply may go to."""
        if not (self._is_own_machine(url) or self._validator.is_allowed(url)):
            raise Forbidden("The activity's service is not one that replies may go to.", "")

    async def create_connector_client(
        self,
        context: TurnContext | None,  # noqa: ARG002 - the SDK's signature
        claims_identity: ClaimsIdentity,
        service_url: str,
        audience: str,
        scopes: list[str] | None = None,
        use_anonymous: bool = False,  # noqa: ARG002
    ) -> TeamsConnectorClient:
        """Return a client for a service that replies may go to."""
        self.check_service(service_url)
        token = await self._token(audience, scopes or claims_identity.get_token_scope())
        client = await self._client(service_url)
        client.prove(token)
        return client

    async def create_user_token_client(
        self,
        context: TurnContext,  # noqa: ARG002 - the SDK's signature
        claims_identity: ClaimsIdentity,  # noqa: ARG002
        use_anonymous: bool = False,  # noqa: ARG002
    ) -> UserTokenClient:
        """Return a client of the token service without a token: nobody is signed in here."""
        if self._user_tokens is None:
            app_id = self._m365.app_id or "anonymous"
            self._user_tokens = _LastingTokens(_TOKEN_SERVICE, "", app_id=app_id)
        return self._user_tokens

    async def close(self) -> None:
        """Close the connections."""
        for client in self._clients.values():
            await client.client.close()
        if self._user_tokens:
            await self._user_tokens.client.close()

    async def _token(self, audience: str, scopes: list[str]) -> str:
        try:
            return await self._provider.get_access_token(audience, scopes)
        except Exception as error:
            # What MSAL says may hold what was sent, so only its kind is told.
            raise PeerRefused(
                f"No token to reply with could be had ({type(error).__name__}).",
                "Check the managed identity, certificate or secret of m365.app_id.",
            ) from None

    async def _client(self, service_url: str) -> _LastingClient:
        """Return the client of a service; the one used least recently is closed."""
        found = self._clients.pop(service_url, None)
        if found is None:
            found = _LastingClient(service_url, "", session=self._opened(service_url))
        self._clients[service_url] = found
        if len(self._clients) > _MOST_SERVICES:
            oldest = next(iter(self._clients))
            await self._clients.pop(oldest).client.close()
        return found

    def _opened(self, service_url: str) -> ClientSession:
        base = service_url if service_url.endswith("/") else f"{service_url}/"
        if self._is_own_machine(service_url):
            return ClientSession(base_url=base, timeout=self._timeout)
        return self._validator.client({"base_url": base, "timeout": self._timeout})

    def _is_own_machine(self, url: str) -> bool:
        """Whether a service is on this machine, as tools for developers are, and may be there."""
        try:
            host = urlsplit(url).hostname or ""
        except ValueError:
            return False
        is_wanted = self._m365.anonymous or host in self._m365.hosts
        return self._is_local and is_wanted and is_loopback(host)


class _LastingClient(TeamsConnectorClient):
    """A client whose connections stay open for the next turn."""

    def prove(self, token: str) -> None:
        """Send this token from now on."""
        if token:
            self.client.headers["Authorization"] = f"Bearer {token}"

    async def close(self) -> None:
        """Leave the connections to their owner."""


class _LastingTokens(UserTokenClient):
    """A client of the token service for all turns."""

    async def close(self) -> None:
        """Leave the connections to their owner."""


def token_provider(m365: M365Settings) -> TokenProvider:
    """Return who gives tokens: a managed identity, else a certificate, else a secret."""
    if m365.anonymous:
        return AnonymousTokenProvider()
    return MsalAuth(_authentication(m365))


def _authentication(m365: M365Settings) -> AgentAuthConfiguration:
    kind, certificate, secret = _chosen_proof(m365)
    home = m365.tenant_id or _MANY_DIRECTORIES
    return AgentAuthConfiguration(
        kind,
        m365.app_id,
        home,
        secret,
        cert_pfx_file=certificate,
        authority=f"{m365.authority.rstrip('/')}/{home}",
    )


def _chosen_proof(m365: M365Settings) -> tuple[AuthTypes, str | None, str | None]:
    """Return how the bot proves who it is, with the certificate or the secret for it."""
    if m365.managed_identity:
        return AuthTypes.user_managed_identity, None, None
    if m365.certificate:
        if not Path(m365.certificate).is_file():
            raise ConfigError(
                "m365.certificate names no file.", "Name a PFX file that holds the private key."
            )
        return AuthTypes.certificate, m365.certificate, None
    secret = read_secret_variable(M365_SECRET_VARIABLE)
    if not secret:
        raise ConfigError(
            "The bot has nothing to prove who it is with.",
            f"Set m365.managed_identity, m365.certificate, or {M365_SECRET_VARIABLE}.",
        )
    remember(secret)
    return AuthTypes.client_secret, None, secret
