"""How a token fares with an issuer, and a clock that the test turns."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest

from sextant.errors import Unauthenticated
from sextant.serve.caller import Caller
from sextant.serve.identity.oidc import Oidc, open_oidc
from sextant.settings import Settings
from tests.serve.identity.issuer import Issuer

T = TypeVar("T")


class Clock:
    """A clock that somebody else turns."""

    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def with_oidc(
    chosen: Settings, work: Callable[[Oidc], Awaitable[T]], clock: Clock | None = None
) -> T:
    """Do some work with the mode open."""

    async def task() -> T:
        oidc = open_oidc(chosen, clock=clock or Clock(), fetch_seconds=0.5)
        try:
            return await work(oidc)
        finally:
            await oidc.close()

    return asyncio.run(task())


def came(issuer: Issuer, token: str, **oidc: Any) -> Caller:
    """Return who a token lets in."""
    return with_oidc(issuer.settings(**oidc), lambda one: one.caller(token))


def refused(issuer: Issuer, token: str | None, **oidc: Any) -> str:
    """Return what is said of a token that lets nobody in."""
    with pytest.raises(Unauthenticated) as raised:
        with_oidc(issuer.settings(**oidc), lambda one: one.caller(token))
    return raised.value.message
