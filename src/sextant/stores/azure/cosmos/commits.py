"""A unit of work in Cosmos DB: whole or not at all for every reader, however large it is.

A transactional batch takes 100 items of one container; a unit of work has thousands in four. So
items are versions, and one small item per tenant, the head, decides which of them exist:

1. A writer takes a turn: by compare-and-set the head gets a number that nobody wrote under before.
2. New items are written with ``since`` = number. Readers are at an earlier commit: nothing is seen.
3. Items that they replace get ``until`` = number. Readers still see them, for the same reason.
4. By compare-and-set the head takes the number as its commit. That is the moment in which the whole
   unit of work is there, and what it replaces is not.

A reader asks for the head, then for items with since <= commit < until: one snapshot, in any number
of calls, whoever writes meanwhile. What was replaced is swept some minutes later, when nobody can
still be reading it.

A writer that dies at any point leaves a turn that ends. Whoever writes next puts its number among
the head's dead ones, in the same compare-and-set that takes the next turn: readers pass over items
that begin with a dead number and take no notice of an end with one. So leftovers need not be swept
before anything else can happen, and a writer that was only slow changes nothing when it goes on:
its compare-and-set fails, its items are dead, and it ends items over an etag alone. Clocks decide
only when a turn is given up, never what is seen.

Every step can be tried again: the same item has the same id, an end is set over an etag, and a
replaced head is recognised by its stamp.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from itertools import islice

from sextant.errors import Outdated, PeerError, SextantError, StoreBusy
from sextant.stores.azure.cosmos.containers import Containers, Item, Kind
from sextant.stores.azure.cosmos.heads import Head, Heads, Turn
from sextant.stores.azure.cosmos.items import DOCUMENT, items_of, removal_item
from sextant.stores.azure.cosmos.snapshot import Snapshot
from sextant.types import EmbedderIdentity, Put

_PAUSE = 0.1
"""Seconds between two looks at a turn of another process."""
_ITEMS = 64
"""Items that are written before the turn is looked at again: seconds, of the minute that it is."""

Units = Mapping[str, Put | None]
"""Documents by id as they are to be; None removes one."""


class TurnLost(Exception):
    """Another writer has taken over; nothing that was written since is seen."""


class Work:
    """One writer's turn: what is written in it is there once it is committed."""

    def __init__(self, containers: Containers, heads: Heads, head: Head, turn: Turn) -> None:
        self._containers, self._heads = containers, heads
        self.head, self.number = head, turn.number
        self._lease = containers.settings.lease_seconds
        self._until = time.monotonic() + self._lease

    async def put(self, units: Units, known: Iterable[str]) -> None:
        """Write documents under the turn's number, and end what they replace.

        Known are those of them that stand in the store in another version, or as removed.
        """
        await self._each(self._new_items(units))
        snapshot = Snapshot(self._containers, self.head)
        for kind in Kind:
            where = "ARRAY_CONTAINS(@values, c.documentId)"
            if kind == Kind.RECORDS:
                where += f" AND c.kind = '{DOCUMENT}'"
            old = await snapshot.fetch_any(kind, "c.id, c._etag", where, known)
            await self._each_end((kind, item) for item in old)

    def _new_items(self, units: Units) -> Iterable[tuple[Kind, Item]]:
        for name, unit in units.items():
            if unit is None:
                yield Kind.RECORDS, removal_item(name, self.head.tenant, self.number)
            else:
                yield from items_of(unit, self.head.tenant, self.number)

    async def _each(self, items: Iterable[tuple[Kind, Item]]) -> None:
        rest = iter(items)
        while part := list(islice(rest, _ITEMS)):
            await self._renew()
            await self._containers.run_all(self._containers.upsert(*one) for one in part)

    async def _each_end(self, items: Iterable[tuple[Kind, Item]]) -> None:
        rest = iter(items)
        while part := list(islice(rest, _ITEMS)):
            await self._renew()
            await self._containers.run_all(self._end(*one) for one in part)

    async def _end(self, kind: Kind, item: Item) -> None:
        """Say at which commit an item ends; it may have been said before the answer got lost."""
        ending = {"until": self.number, "endedAt": self._containers.clock()}
        try:
            await self._containers.patch(kind, self.head.tenant, item, ending)
        except Outdated:
            now = await self._containers.read(kind, self.head.tenant, item["id"])
            if now is None or now["until"] != self.number:
                raise TurnLost from None

    async def _renew(self) -> None:
        """Ask for more time once half of it is over."""
        if time.monotonic() < self._until - self._lease / 2:
            return
        turn = Turn(self.number, self._containers.clock() + self._lease)
        self.head = await self._replaced(replace(self.head, turn=turn))
        self._until = time.monotonic() + self._lease

    async def commit(self, embedder: EmbedderIdentity | None) -> Head:
        """Let all that was written be there at once."""
        done = replace(self.head, commit=self.number, turn=None, embedder=embedder)
        return await self._replaced(done)

    async def _replaced(self, head: Head) -> Head:
        try:
            return await self._heads.replace(head)
        except Outdated:
            raise TurnLost from None


class Commits:
    """Turns of writers: those of this process wait for each other, those of others for a while."""

    def __init__(self, containers: Containers, heads: Heads) -> None:
        self._containers, self._heads = containers, heads
        self._settings = containers.settings
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @asynccontextmanager
    async def alone(self, tenant: str) -> AsyncIterator[None]:
        """Let the writers of this process take turns."""
        async with self._locks[tenant]:
            yield

    async def free_head(self, tenant: str, give_up: float) -> Head:
        """Return the head once no other process has the turn; wait until a time for that."""
        while True:
            head = await self._heads.read(tenant)
            # One whose time is over may still have a call under way, which is let end.
            patience = self._settings.call_seconds
            if head.turn is None or self._containers.clock() > head.turn.until + patience:
                return head
            if time.monotonic() > give_up:
                raise StoreBusy(
                    "Another process has been writing to this tenant for long.",
                    "Try again; if that process is gone, its turn ends within a minute or two.",
                )
            await asyncio.sleep(_PAUSE)

    async def begin(self, head: Head) -> Work:
        """Take the turn over a head that nobody has changed since; else raise TurnLost."""
        now = self._containers.clock()
        turn = Turn(head.next_number, now + self._settings.lease_seconds)
        try:
            taken = await self._heads.replace(replace(head.without_turn(now), turn=turn))
        except Outdated:
            raise TurnLost from None
        except PeerError:
            await self.abandon(head.tenant, turn.number)
            raise
        return Work(self._containers, self._heads, taken, turn)

    async def carry_out(
        self, work: Work, units: Units, known: Sequence[str], embedder: EmbedderIdentity | None
    ) -> Head:
        """Write and commit, or leave nothing to be seen and the turn to the next one."""
        try:
            await work.put(units, known)
            return await work.commit(embedder)
        except Exception:
            committed = await self.abandon(work.head.tenant, work.number)
            if committed is None:
                raise
            return committed
        except BaseException:
            await self.abandon(work.head.tenant, work.number)
            raise

    async def abandon(self, tenant: str, number: int) -> Head | None:
        """Give a turn back; return the head if it turns out that its number is committed.

        Where even that fails, the turn ends by itself.
        """
        with suppress(SextantError):
            head = await self._heads.read(tenant)
            if head.commit >= number and number not in head.dead_numbers:
                return head
            if head.turn and head.turn.number == number:
                await self._heads.replace(head.without_turn(self._containers.clock()))
        return None
