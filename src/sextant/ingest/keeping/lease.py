"""Taking turns with other processes that change the same tenant: its documents, or its names.

Only saves work: whoever gets no turn in time goes on without one, and so may whoever knows no
leases. What they write is noticed, and then every document is looked at again.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from sextant.errors import StoreClosed, StoreError
from sextant.ports import Leases
from sextant.types import Lease, Scope

_LOG = logging.getLogger(__name__)
INGEST, OVERRULE, EMBED = "ingest", "overrule", "embed"
"""The leases: to bring documents in, to read what people said of names and say more, to embed."""
_LEASE_S = 15.0
"""How long somebody who hangs holds others up; whoever dies does not, where stores can tell."""
_RENEWAL_S = _LEASE_S / 3
_POLL_S = 0.05
"""How often it is looked whether it is our turn: far shorter than a turn."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """How runs share a tenant, in seconds: how long a turn is if others wait, and how long they do.

    A turn of 5 s makes little of what each costs, which is to read all names anew; a minute is
    longer than a turn and the slowest commit at its end.
    """

    turn: float = 5.0
    wait: float = 60.0


class Turn:
    """The right of one run to change a tenant, in turn with others."""

    def __init__(self, leases: Leases, scope: Scope, sharing: Sharing, name: str = INGEST) -> None:
        self._leases, self._scope, self._sharing, self._name = leases, scope, sharing, name
        self._holder = secrets.token_hex(8)
        self._lease: Lease | None = None
        self._since = 0.0

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Wait for the turn, or for as long as is waited, and hold it."""
        try:
            await self._take()
            renewing = asyncio.create_task(self._renew_again())
            try:
                yield
            finally:
                renewing.cancel()
                await asyncio.gather(renewing, return_exceptions=True)
        finally:
            with suppress(StoreError):  # it ends by itself
                await self._leave()

    async def is_over(self) -> bool:
        """Whether others wait and the turn was long enough."""
        if time.monotonic() - self._since >= self._sharing.turn:
            await self._renew()
            return self._lease is not None and self._lease.is_wanted
        return False

    async def _take(self) -> None:
        until = time.monotonic() + self._sharing.wait
        self._lease = await self._ask()
        while self._lease is None and time.monotonic() < until:
            await asyncio.sleep(_POLL_S)
            self._lease = await self._ask()
        await self._leave_if_lost()
        self._since = time.monotonic()

    async def _renew_again(self) -> None:
        while self._lease is not None:
            await asyncio.sleep(_RENEWAL_S)
            with suppress(StoreError):  # the next write tells
                await self._renew()

    async def _renew(self) -> None:
        if self._lease is not None:
            self._lease = await self._ask()
            await self._leave_if_lost()

    async def _leave_if_lost(self) -> None:
        """Wait no longer: whoever works without a turn must not get one that it does not use."""
        if self._lease is None:
            await self._leave()

    async def _leave(self) -> None:
        await self._leases.release_lease(self._scope, self._name, self._holder)

    async def _ask(self) -> Lease | None:
        """Ask for the lease; where leases fail, work is done twice, and nothing is lost."""
        try:
            return await self._leases.take_lease(self._scope, self._name, self._holder, _LEASE_S)
        except StoreClosed:
            raise
        except StoreError as error:
            _LOG.warning("The turn to %s cannot be asked for: %s", self._name, error)
            return None


class Right:
    """The right to do what one process does for all; who does not get it leaves the work to it."""

    def __init__(self, leases: Leases, scope: Scope, name: str) -> None:
        self._leases, self._scope, self._name = leases, scope, name
        self._holder = secrets.token_hex(8)

    @asynccontextmanager
    async def tried(self) -> AsyncIterator[bool]:
        """Take it if it is free, hold it, and say whether it is ours."""
        is_ours = await self._take() is not None
        renewing = asyncio.create_task(self._renew_again()) if is_ours else None
        try:
            yield is_ours
        finally:
            if renewing:
                renewing.cancel()
                await asyncio.gather(renewing, return_exceptions=True)
                await self.leave()

    async def leave(self) -> None:
        """Give it back, or wait for it no longer."""
        with suppress(StoreError):  # it ends by itself
            await self._leases.release_lease(self._scope, self._name, self._holder)

    async def _renew_again(self) -> None:
        while True:
            await asyncio.sleep(_RENEWAL_S)
            with suppress(StoreError):  # the next write tells
                await self._take()

    async def _take(self) -> Lease | None:
        return await self._leases.take_lease(self._scope, self._name, self._holder, _LEASE_S)
