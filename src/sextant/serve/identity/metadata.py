"""What an OAuth client is told: where tokens come from (RFC 9728), and why one was refused.

Knows settings, and how a header is written; no request.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sextant.serve.caller import Role
from sextant.serve.identity.grants import BY_SCOPE
from sextant.settings import OidcSettings, Settings

WELL_KNOWN = "/.well-known/oauth-protected-resource"
RESOURCE = "/mcp"
TENANT = "{tenantid}"
INSUFFICIENT = "insufficient_scope"
_ANY_TENANT = "common"
_APP = "api://"


def resource_of(public_url: str) -> str:
    """Return the name under which tokens for this server are asked for."""
    return public_url.rstrip("/") + RESOURCE


def metadata_url(public_url: str) -> str:
    """Return where the metadata of this server are."""
    return public_url.rstrip("/") + WELL_KNOWN + RESOURCE


def resource_metadata(settings: Settings, public_url: str) -> dict[str, Any]:
    """Return the metadata of this server as a protected resource."""
    return {
        "resource": resource_of(public_url),
        "authorization_servers": [home_of(settings.oidc.issuer)],
        "scopes_supported": [scope_name(settings.oidc, role) for role in BY_SCOPE],
        "bearer_methods_supported": ["header"],
        "resource_name": "Sextant",
    }


def challenge(
    settings: Settings, error: str = "", *, public_url: str = "", needs: Iterable[Role] = ()
) -> str:
    """Return what WWW-Authenticate says; ``error`` is a code of RFC 6750, none without a token."""
    said = ['Bearer realm="sextant"']
    if error:
        said.append(f"error={_quoted(error)}")
    if settings.serve.auth == "oidc":
        wanted = {*needs} or ({*BY_SCOPE} if error == INSUFFICIENT else {Role.SEARCH, Role.READ})
        scopes = " ".join(scope_name(settings.oidc, role) for role in BY_SCOPE if role in wanted)
        said += [f"scope={_quoted(scopes)}"] if scopes else []
        said += [f"resource_metadata={_quoted(metadata_url(public_url))}"] if public_url else []
    return ", ".join(said)


def home_of(issuer: str) -> str:
    """Return where an issuer is at home; one for many tenants has a home for all of them."""
    return issuer.replace(TENANT, _ANY_TENANT)


def scope_name(oidc: OidcSettings, role: Role) -> str:
    """Return what a client asks for: Entra ID wants the name of the application in front."""
    app = next((one for one in listed(oidc.audience) if one.startswith(_APP)), "")
    return f"{app}/{role}" if app else str(role)


def listed(text: str) -> list[str]:
    """Return the parts of a setting that has commas between them."""
    return [part for one in text.split(",") if (part := one.strip())]


def _quoted(text: str) -> str:
    plain = "".join(letter for letter in text if " " <= letter <= "~")
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
