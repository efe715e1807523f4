"""Who this server is to each of the servers that it calls: from settings and the environment.

Knows what was set for which of them, and no way to fetch a token.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sextant.settings.copilot_sections import (
    RemoteEndpointSettings,
    ToolServerSettings,
)
from sextant.settings.secrets import read_secret_variable
from sextant.settings.sections import (
    Settings,
)
from sextant.settings.variables import (
    CLIENT_SECRET_VARIABLE,
    TOKEN_VARIABLE,
    own_variable,
    remote_variable,
    tool_server_variable,
)

_OF_A_SERVER = ("token_url", "client_id", "scope")
"""What can be set for one server alone, each under the server's name."""


@dataclass(frozen=True, slots=True)
class Credential:
    """Who we are to one server: a token that is given, or how one is had, and for what scope.

    ``own`` says which settings are that server's alone, so that a hint can name them.
    """

    token: str = field(default="", repr=False)
    token_variable: str = TOKEN_VARIABLE
    token_url: str = ""
    client_id: str = ""
    scope: str = ""
    secret: str = field(default="", repr=False)
    secret_variable: str = CLIENT_SECRET_VARIABLE
    managed_identity: bool = False
    own: str = ""
    section: str = "remote."

    def setting(self, name: str) -> str:
        """Return how a setting is called."""
        return f"{self.section}{self.own}{name}"


def credential_for(settings: Settings, dependency: str = "") -> Credential:
    """Return who we are to a server: what is set for it alone goes before what is set for both.

    A client of its own needs a secret of its own: that of another client is not sent along.
    """
    remote, token, secret = settings.remote, TOKEN_VARIABLE, CLIENT_SECRET_VARIABLE
    own = {name: getattr(remote, f"{dependency}_{name}", "") for name in _OF_A_SERVER}
    if dependency and read_secret_variable(own_variable(dependency, token)):
        token = own_variable(dependency, token)
        return Credential(read_secret_variable(token), token)
    is_other_client = bool(own["client_id"] or own["token_url"])
    if dependency and (is_other_client or read_secret_variable(own_variable(dependency, secret))):
        secret = own_variable(dependency, secret)
    return Credential(
        "" if is_other_client else read_secret_variable(token),
        token,
        own["token_url"] or remote.token_url,
        own["client_id"] or remote.client_id,
        own["scope"] or remote.scope,
        read_secret_variable(secret),
        secret,
        remote.managed_identity and not own["token_url"],
        f"{dependency}_" if any(own.values()) else "",
    )


def tool_server_credential(server: ToolServerSettings) -> Credential:
    """Return who we are to a server of tools: what is set for it alone, and never anything else."""
    return _own_credential(server, tool_server_variable, "toolbox.servers.")


def remote_credential(remote: RemoteEndpointSettings) -> Credential:
    """Return who we are to a remote endpoint: what is set for it alone, and never anything else."""
    return _own_credential(remote, remote_variable, "chat.remotes.")


def _own_credential(
    server: ToolServerSettings | RemoteEndpointSettings,
    variable_of: Callable[[str, str], str],
    section: str,
) -> Credential:
    token = variable_of(server.name, TOKEN_VARIABLE)
    secret = variable_of(server.name, CLIENT_SECRET_VARIABLE)
    return Credential(
        read_secret_variable(token),
        token,
        server.token_url,
        server.client_id,
        server.scope,
        read_secret_variable(secret),
        secret,
        section=section,
    )
