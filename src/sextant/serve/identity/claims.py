"""From the claims of a token whose signature holds to a Caller. Knows no key and no signature."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sextant.errors import Unauthenticated
from sextant.serve.caller import Caller, Role
from sextant.serve.identity.grants import BY_SCOPE, personas_of, roles_of
from sextant.serve.identity.metadata import TENANT, listed
from sextant.serve.identity.refusals import wrong_token
from sextant.settings import Settings

Claims = Mapping[str, Any]
_LONGEST = 256
_MOST = 1_000
_FOR_EVER = 2**53
_NOT_FOR_APIS = {("typ", "ID"), ("typ", "Refresh"), ("typ", "Offline"), ("token_use", "id")}
_ENTRA = re.compile(
    r"https://(login\.microsoftonline\.(com|us)|login\.partner\.microsoftonline\.cn"
    r"|sts\.windows\.net|sts\.chinacloudapi\.cn|[\w-]+\.(ciamlogin|b2clogin)\.com)/",
    re.IGNORECASE,
)
_ONLY_FOR_APIS = ("azp", "appid", "scp", "idtyp")
"""Entra ID puts at least one of these into an access token, and none into an ID token."""


class Reading:
    """Reads claims as the settings name them."""

    def __init__(self, settings: Settings, audiences: Sequence[str]) -> None:
        self._oidc = settings.oidc
        self._home = settings.serve.tenant
        self._tenants = frozenset(listed(settings.oidc.tenants))
        self._prefixes = tuple(f"{one}/" for one in audiences)

    def caller(self, claims: Claims, key_issuer: str = "") -> Caller:
        """Return who a token is for; where its key is one issuer's only, it has to be theirs."""
        self._check_issuer(claims, key_issuer)
        if _is_for_the_client(claims):
            raise Unauthenticated("The token is not for an API.", "Send an access token.")
        tenant, user = self._tenant(claims), self._user(claims)
        roles = self._roles(claims, tenant)
        personas = personas_of(_names(_claim(claims, self._oidc.personas_claim), ","), roles)
        expires = float(min(int(claims["exp"]), _FOR_EVER))
        return Caller(f"{tenant}/{user}", tenant, user, personas, roles, expires)

    def _check_issuer(self, claims: Claims, key_issuer: str) -> None:
        for wanted in (self._oidc.issuer, key_issuer or self._oidc.issuer):
            if claims.get("iss") != wanted.replace(TENANT, str(claims.get("tid", ""))):
                raise Unauthenticated(
                    "The token is from another issuer.", "Get one from the issuer of this server."
                )
        if TENANT in self._oidc.issuer:
            self._check_listed(_name(claims.get("tid")))

    def _tenant(self, claims: Claims) -> str:
        if not self._oidc.tenant_claim:
            return self._home
        tenant = _name(_claim(claims, self._oidc.tenant_claim))
        if not tenant:
            raise Unauthenticated(
                "The token names no tenant.", "Get one from an account that belongs to a tenant."
            )
        if self._tenants and TENANT not in self._oidc.issuer:
            self._check_listed(tenant)
        return tenant

    def _check_listed(self, tenant: str) -> None:
        if tenant not in self._tenants:
            raise Unauthenticated(
                "The token's tenant is not let in.", "Ask whoever runs this server."
            )

    def _user(self, claims: Claims) -> str:
        user = _name(_claim(claims, self._oidc.user_claim)) or _name(claims.get("sub"))
        if not user:
            raise wrong_token()
        return user

    def _roles(self, claims: Claims, tenant: str) -> frozenset[Role]:
        by_role = roles_of(_names(_claim(claims, self._oidc.roles_claim)))
        scopes = [*_names(claims.get("scp")), *_names(claims.get("scope"))]
        by_scope = roles_of(map(self._bare, scopes)) & {*BY_SCOPE}
        # Of an issuer for many tenants, each tenant's own people give roles to whom they like.
        if TENANT in self._oidc.issuer and tenant != self._home:
            by_role -= {Role.ON_BEHALF}
        return by_role | by_scope

    def _bare(self, scope: str) -> str:
        for prefix in self._prefixes:
            if scope.startswith(prefix):
                return scope.removeprefix(prefix)
        return scope


def _is_for_the_client(claims: Claims) -> bool:
    """Whether a token says to a client who signed in, instead of letting it in somewhere."""
    if "at_hash" in claims or any(claims.get(name) == kind for name, kind in _NOT_FOR_APIS):
        return True
    if "nonce" in claims and claims.get("typ") != "Bearer":  # older Keycloaks repeat it in both
        return True
    is_entra = bool(_ENTRA.match(str(claims.get("iss", ""))))
    return is_entra and not any(claims.get(name) for name in _ONLY_FOR_APIS)


def _claim(claims: Claims, name: str) -> object:
    """Return a claim by its name, or by its path as in ``realm_access.roles``."""
    if name in claims:
        return claims[name]
    found: object = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _name(value: object) -> str:
    is_fine = isinstance(value, str) and len(value) <= _LONGEST and value.isprintable()
    return str(value) if is_fine and value == str(value).strip() else ""


def _names(value: object, between: str | None = None) -> list[str]:
    """Return the names in a list, or in a text with spaces or what else is between them."""
    if isinstance(value, str):
        value = [part.strip() for part in value.split(between)]
    named = map(_name, value[:_MOST]) if isinstance(value, list) else ()
    return [one for one in named if one]
