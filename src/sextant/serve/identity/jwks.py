"""The issuer's keys: fetched when they are needed, kept for a while, asked for again with care.

Knows how keys are written (RFC 7517); no token.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jwt

from sextant.errors import Overloaded, Unreachable

FRESH_S = 600.0
"""How long keys hold; one that the issuer took back works no longer than this."""
STALE_S = 6 * 3_600.0
"""How long keys hold while the issuer cannot be reached."""
ASK_AGAIN_S = 60.0
"""How often at most a token with an unknown key makes us ask; strangers can send any number."""
RETRY_S = 15.0
_MOST_KEYS = 100
_RSA_BITS = range(2_048, 8_193)
_CURVES = {"P-256": "ES256", "P-384": "ES384", "P-521": "ES512"}
_RSA = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"})
ALGORITHMS = _RSA | {*_CURVES.values(), "EdDSA"}
"""Only those in which nobody who checks a token could have made it."""
_HINT = "Check oidc.issuer, or name the address of its keys in oidc.keys."
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A public key, and what it is good for; a channel's key says for which channels it speaks."""

    id: str
    algorithms: frozenset[str]
    public: Any
    issuer: str = ""
    endorsements: frozenset[str] = frozenset()


class KeyRing:
    """Holds an issuer's keys; however many wait for them, they are fetched once."""

    def __init__(
        self,
        fetch: Callable[[], Awaitable[Sequence[SigningKey]]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fetch = fetch
        self._clock = clock
        self._keys: Sequence[SigningKey] = ()
        self._fetched = self._next = float("-inf")
        self._is_failing = False
        self._task: asyncio.Task[None] | None = None

    async def key(self, key_id: str, algorithm: str) -> SigningKey | None:
        """Return the key of a token, if the issuer has it; a token may leave out an only key's."""
        if self._clock() - self._fetched > FRESH_S:
            await self._renew(wait=not (self._is_failing and self._held()))
        found = self._find(key_id, algorithm)
        if found is None:
            await self._renew()
            found = self._find(key_id, algorithm)
        if found is None and not self._held():
            raise Overloaded(
                "Whose token this is cannot be found out now: its issuer does not answer.",
                "Try again later.",
                RETRY_S,
            )
        return found

    async def close(self) -> None:
        """Fetch nothing more."""
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _held(self) -> Sequence[SigningKey]:
        return self._keys if self._clock() - self._fetched <= STALE_S else ()

    def _find(self, key_id: str, algorithm: str) -> SigningKey | None:
        fitting = [
            one
            for one in self._held()
            if algorithm in one.algorithms and (one.id == key_id or not key_id)
        ]
        return fitting[0] if fitting and (key_id or len(fitting) == 1) else None

    async def _renew(self, *, wait: bool = True) -> None:
        if self._task is None:
            if self._clock() < self._next:
                return
            self._task = asyncio.create_task(self._fetch_once())
        if wait:
            await asyncio.shield(self._task)

    async def _fetch_once(self) -> None:
        try:
            self._keys = await self._fetch()
        except Unreachable as error:
            _log.warning("The issuer's keys cannot be fetched: %s", error)
            self._is_failing, self._next = True, self._clock() + RETRY_S
        else:
            self._fetched = self._clock()
            self._is_failing, self._next = False, self._fetched + ASK_AGAIN_S
        finally:
            self._task = None


def signing_keys(document: object) -> Sequence[SigningKey]:
    """Return the keys of a set that can prove a token; the others are left out."""
    listed = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(listed, list) or len(listed) > _MOST_KEYS:
        raise Unreachable("What the issuer sends is no set of keys.", _HINT)
    found = tuple(key for one in listed if isinstance(one, dict) for key in _signing_key(one))
    if not found:
        raise Unreachable("The issuer's set has no key that proves a token.", _HINT)
    return found


def _signing_key(written: dict[str, Any]) -> Iterator[SigningKey]:
    algorithms = _algorithms(written)
    if written.get("use", "sig") != "sig" or not algorithms:
        return
    try:
        public = jwt.PyJWK(written, algorithm=min(algorithms)).key
    except (jwt.PyJWTError, ValueError, TypeError, KeyError, OverflowError):
        return
    if written["kty"] == "RSA" and public.key_size not in _RSA_BITS:
        return
    yield SigningKey(
        str(written.get("kid", "")),
        algorithms,
        public,
        str(written.get("issuer", "")),
        _endorsements(written.get("endorsements")),
    )


def _endorsements(written: object) -> frozenset[str]:
    return frozenset(map(str, written)) if isinstance(written, list) else frozenset()


def _algorithms(written: dict[str, Any]) -> frozenset[str]:
    """Return what a key of its kind can do, or the one thing that it is for."""
    kind, curve, only = written.get("kty"), str(written.get("crv")), written.get("alg")
    able = frozenset[str]()
    if kind == "RSA":
        able = _RSA
    elif kind == "EC" and curve in _CURVES:
        able = frozenset({_CURVES[curve]})
    elif kind == "OKP" and curve == "Ed25519":
        able = frozenset({"EdDSA"})
    return able & {only} if only is not None else able
