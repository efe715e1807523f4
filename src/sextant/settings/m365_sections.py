"""What can be set of the door for Microsoft 365 Copilot and Teams. Knows no room."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class M365TenantSettings:
    """A directory of Entra ID whose people may ask: whose knowledge, and as which personas.

    Without a tenant it is the knowledge of the server's own.
    """

    id: str
    tenant: str = ""
    personas: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class M365Settings:
    """Which bot this server is, who may ask it, and how it proves who it is to the channels.

    People of the directory that the bot is registered in (`tenant_id`) may ask, and those of
    `tenants`. Only Teams, with Copilot, is trusted to say who somebody is; other channels are let
    in if they are listed, for the bot's own directory. Other apps may send activities with tokens
    of Entra ID if their ids are among the callers. Replies go to hosts of Microsoft's channels, and
    to those that are listed. Of the ways to prove who we are the first that is set counts: a
    managed identity, a certificate (a PFX file), or the secret, which comes from the environment.
    Anonymous is for a look on one's own machine: nobody is asked who they are. Issuer, keys and
    authority are those of the public cloud. Examples are questions that a new user is shown.
    """

    app_id: str = ""
    tenant_id: str = ""
    tenants: tuple[M365TenantSettings, ...] = ()
    channels: tuple[str, ...] = ("msteams",)
    callers: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    managed_identity: bool = False
    certificate: str = ""
    anonymous: bool = False
    authority: str = "https://login.microsoftonline.com"
    issuer: str = "https://api.botframework.com"
    keys: str = "https://login.botframework.com/v1/.well-known/keys"
    send_seconds: float = 15.0
    name: str = "Sextant"
    examples: tuple[str, ...] = ()
