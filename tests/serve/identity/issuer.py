"""A real issuer on a port of its own: it signs tokens, and publishes keys as it is told to."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from sextant.settings import OidcSettings, ServeSettings, Settings
from tests.loopback import Answer, Request, answering

AUDIENCE = "api://sextant"
DISCOVERY = "/.well-known/openid-configuration"
KEYS = "/keys"
SEARCH = "RAGPipeline.SearchAccess"


@cache
def rsa_key(name: str, bits: int = 2048) -> rsa.RSAPrivateKey:  # noqa: ARG001 - the cache's
    """Return a key of this name; making one takes a while."""
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


@cache
def ec_key(name: str) -> ec.EllipticCurvePrivateKey:  # noqa: ARG001 - the cache's
    return ec.generate_private_key(ec.SECP256R1())


def public(name: str, key: Any, **more: Any) -> dict[str, Any]:
    """Return a key as it is published."""
    kind = RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else ECAlgorithm
    return {**kind.to_jwk(key.public_key(), as_dict=True), "kid": name, "use": "sig", **more}


@dataclass
class Issuer:
    """What the issuer says of itself, and how often it was asked."""

    url: str = ""
    name: str = ""
    keys: list[dict[str, Any]] = field(default_factory=list)
    bodies: dict[str, bytes] = field(default_factory=dict)
    status: int = 200
    silent: bool = False
    asked: Counter[str] = field(default_factory=Counter)
    was_asked: threading.Event = field(default_factory=threading.Event)

    def settings(self, **oidc: Any) -> Settings:
        """Return settings that trust this issuer."""
        own = OidcSettings(issuer=self.name or self.url, audience=AUDIENCE)
        return Settings(serve=ServeSettings(auth="oidc", tenant="home"), oidc=replace(own, **oidc))

    def claims(self, **more: Any) -> dict[str, Any]:
        """Return claims that are fine but for what is said; None leaves one out."""
        now = int(time.time())
        fine = {
            "iss": self.url,
            "aud": AUDIENCE,
            "exp": now + 600,
            "nbf": now - 10,
            "iat": now - 10,
            "tid": "acme",
            "oid": "ann",
            "roles": [SEARCH],
        }
        return {name: value for name, value in {**fine, **more}.items() if value is not None}

    def token(self, **more: Any) -> str:
        """Return a token of the first key."""
        return self.signed(self.claims(**more))

    def signed(
        self, claims: Any, name: str = "one", algorithm: str = "RS256", key: Any = None, **head: Any
    ) -> str:
        """Sign claims."""
        kept = {"kid": name, **head}
        headers = {one: value for one, value in kept.items() if value is not None}
        return jwt.encode(claims, key or rsa_key(name), algorithm, headers)

    def answer(self, path: str) -> bytes:
        """Return what is at a path."""
        if path in self.bodies:
            return self.bodies[path]
        if path == KEYS:
            return json.dumps({"keys": self.keys}).encode()
        named = {"issuer": self.name or self.url, "jwks_uri": self.url + KEYS}
        return json.dumps(named).encode()


@contextmanager
def issuing() -> Iterator[Issuer]:
    """Run an issuer with one key until the block ends."""
    issuer = Issuer(keys=[public("one", rsa_key("one"))])

    def publish(request: Request) -> Answer:
        issuer.asked[request.path] += 1
        issuer.was_asked.set()
        return Answer(issuer.status, None if issuer.silent else issuer.answer(request.path))

    with answering(publish) as issuer.url:
        yield issuer
