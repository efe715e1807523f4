"""Sweeping up what nobody can see: replaced versions, and what writers left that did not finish.

Nothing waits for it, and nothing is wrong without it. Items go only when no reader can still be at
a commit that has them.
"""

from __future__ import annotations

import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import replace

from sextant.errors import Outdated, SextantError
from sextant.stores.azure.cosmos.containers import Containers, Item, Kind
from sextant.stores.azure.cosmos.heads import Head, Heads
from sextant.stores.azure.cosmos.items import DOCUMENT, FOR_EVER
from sextant.stores.azure.cosmos.snapshot import Snapshot
from sextant.stores.removals import most_removals

_GRACE = 300.0
"""Seconds until what was replaced is swept: longer than the calls of any one read take together,
and than a request of a writer that is gone can be under way."""
_EVERY = 60.0
"""Seconds between two sweeps of a tenant by one process."""
_MOST = 1_000
"""Replaced items that one sweep takes of a container, so that no write waits for long."""

_OLD = (
    "SELECT TOP {most} c.id FROM c WHERE c.tenant = @tenant AND c.until <= @commit "
    "AND c.endedAt < @before AND NOT ARRAY_CONTAINS(@dead, c.until)"
)
_BEGUN = "SELECT c.id FROM c WHERE c.tenant = @tenant AND c.since = @number"
_ENDED = "SELECT c.id, c._etag FROM c WHERE c.tenant = @tenant AND c.until = @number"


class Sweeper:
    """Sweeps tenants now and then, after writes."""

    def __init__(self, containers: Containers, heads: Heads, grace: float = _GRACE) -> None:
        self._containers, self._heads, self._grace = containers, heads, grace
        self._last: defaultdict[str, float] = defaultdict(time.monotonic)
        self._swept: set[tuple[str, int]] = set()

    async def sweep_now_and_then(self, head: Head) -> None:
        """Sweep if there is something to sweep, or if it is time; errors wait for the next time."""
        left = [one for one in head.dead_numbers if (head.history, one) not in self._swept]
        is_time = time.monotonic() - self._last[head.tenant] >= _EVERY
        if left or is_time:
            with suppress(SextantError):
                await self.sweep(head)

    async def sweep(self, head: Head) -> None:
        """Sweep up after writers that did not finish, and what was replaced a while ago."""
        self._last[head.tenant] = time.monotonic()
        for number in head.dead_numbers:
            await self._undo(head.tenant, number)
            self._swept.add((head.history, number))
        for kind in Kind:
            await self._delete_old(kind, head)
        await self._forget(head)

    async def _undo(self, tenant: str, number: int) -> None:
        """Delete what began with a number that was never committed, and let go on what ended."""
        parameters = {"tenant": tenant, "number": number}
        for kind in Kind:
            begun = await self._containers.query(kind, tenant, _BEGUN, parameters)
            await self._delete(kind, tenant, begun)
            for item in await self._containers.query(kind, tenant, _ENDED, parameters):
                with suppress(Outdated):  # a writer has ended it meanwhile
                    await self._containers.patch(kind, tenant, item, {"until": FOR_EVER})

    async def _delete_old(self, kind: Kind, head: Head) -> None:
        parameters = {
            "tenant": head.tenant,
            "commit": head.commit,
            "before": self._containers.clock() - self._grace,
            "dead": head.dead_numbers,
        }
        sql = _OLD.format(most=_MOST)
        old = await self._containers.query(kind, head.tenant, sql, parameters)
        await self._delete(kind, head.tenant, old)

    async def _delete(self, kind: Kind, tenant: str, items: list[Item]) -> None:
        calls = (self._containers.delete(kind, tenant, item["id"]) for item in items)
        await self._containers.run_all(calls)

    async def _forget(self, head: Head) -> None:
        """Forget dead numbers of long ago, and removals beyond those worth remembering."""
        before = self._containers.clock() - self._grace
        dead = tuple(one for one in head.dead if one[1] >= before)
        oldest, forgotten = await self._old_removals(head)
        if dead == head.dead and not forgotten:
            return
        with suppress(Outdated):  # whoever writes next does it then
            since = max(head.complete_since, oldest)
            await self._heads.replace(replace(head, dead=dead, complete_since=since))
            await self._delete(Kind.RECORDS, head.tenant, forgotten)

    async def _old_removals(self, head: Head) -> tuple[int, list[Item]]:
        snapshot = Snapshot(self._containers, head)
        is_document = f"c.kind = '{DOCUMENT}' AND c.isRemoved = "
        removed = await snapshot.count(Kind.RECORDS, f"{is_document}true")
        documents = await snapshot.count(Kind.RECORDS, f"{is_document}false")
        if removed <= most_removals(documents):
            return 0, []
        found = await snapshot.fetch(Kind.RECORDS, "c.id, c.since", f"{is_document}true")
        old = sorted(found, key=lambda item: int(item["since"]))[: -most_removals(documents)]
        # All removals of the last commit that is forgotten go with it.
        oldest = int(old[-1]["since"])
        return oldest, [item for item in found if item["since"] <= oldest]
