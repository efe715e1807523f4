"""Signed tokens (RFC 7519): their shape, their header, their claims once the signature holds.

Knows how keys of an issuer are fetched; knows no setting and no caller.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import httpx2
import jwt

from sextant.errors import ConfigError, Unauthenticated, Unreachable
from sextant.prompting.calls.fetch import checked_url, fetched
from sextant.serve.identity.jwks import SigningKey
from sextant.serve.identity.refusals import no_token, wrong_token

FETCH_S = 5.0
"""How long an issuer may take to answer."""
_LONGEST = 16_384
_SHAPE = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
_TYPES = frozenset({"", "jwt", "at+jwt", "application/at+jwt"})
_MOST_BYTES = 512 * 1024


def check_shape(token: str | None) -> str:
    """Return a token that may be one, or refuse what cannot be."""
    if not token:
        raise no_token()
    if len(token) > _LONGEST or not _SHAPE.fullmatch(token):
        raise wrong_token()
    return token


def read_header(token: str, algorithms: AbstractSet[str]) -> tuple[str, str]:
    """Return which key a token is signed with, and how, if it is one that we understand."""
    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError):
        raise wrong_token() from None
    algorithm, kind = str(header.get("alg")), str(header.get("typ", ""))
    is_known = algorithm in algorithms and kind.lower() in _TYPES
    if not is_known or "crit" in header:
        raise wrong_token()
    return str(header.get("kid", "")), algorithm


def read_claims(
    token: str, key: SigningKey, algorithm: str, audiences: Sequence[str], leeway: float
) -> Mapping[str, Any]:
    """Return the claims of a token whose signature, audience and times hold."""
    try:
        claims: Mapping[str, Any] = jwt.decode(
            token,
            key.public,
            algorithms=[algorithm],
            audience=audiences,
            leeway=leeway,
            options={"require": ["exp", "iss", "aud"]},
        )
    except jwt.ExpiredSignatureError:
        raise Unauthenticated("The token has expired.", "Get a new one.") from None
    except jwt.ImmatureSignatureError:
        raise Unauthenticated(
            "The token is not valid yet.", "See that the clocks of both sides are right."
        ) from None
    except jwt.InvalidAudienceError:
        raise Unauthenticated(
            "The token is for another application.", "Ask for one for this server."
        ) from None
    except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError):
        raise wrong_token() from None
    return claims


async def fetch_document(client: httpx2.AsyncClient, seconds: float, hint: str, url: str) -> Any:
    """Return the JSON that an issuer has at an address."""
    try:
        checked_url(url, "What the issuer names")
        status, document = await fetched(client, url, most=_MOST_BYTES, seconds=seconds)
    except ConfigError as error:
        raise Unreachable(error.message, error.hint) from None
    if status != httpx2.codes.OK:
        raise Unreachable(f"It answers with status {status}.", hint)
    return document
