"""Threads: an item for each, beside its entries, which are items of their own.

The next numbers are reserved in the thread's item before entries are written, and published in it
afterwards: an entry that is not published does not exist. A reservation that is not published in
time is given up for good. Then the same numbers are reserved anew, and what was written under the
old reservation is passed over: a writer that was only slow writes where nobody reads. States beyond
a size stand in parts of their own, which the thread's item names.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress

from sextant.errors import Conflict, Outdated, SextantError, StoreBusy
from sextant.limits import Limits, check_thread_growth, check_thread_room
from sextant.stores.azure.cosmos.containers import Containers, Item, Kind
from sextant.stores.azure.cosmos.records.thread_items import (
    Clock,
    entry_items,
    entry_of,
    new_item,
    published,
    reserved,
    summary_of,
    thread_id_of,
    thread_of,
)
from sextant.stores.refusals import thread_moved_on
from sextant.types import Append, EntryRange, Thread, ThreadEntry, ThreadSummary

_PART = 200_000
"""Characters of a state in one item: at most 800 KB, of the 2 MB that an item may have."""
_RESERVED = 30.0
"""Seconds that entries have to be written: a thousand of them take one."""
_WAIT, _PAUSE = 60.0, 0.05
"""Seconds until it is given up that another process publishes, and between two looks."""

_OWN = "c.tenant = @tenant AND c.kind = 'thread' AND c.user = @user AND c.version > 0"
_ENTRIES = "c.tenant = @tenant AND c.kind = 'entry' AND c.birth = @birth"


class CosmosThreads:
    """The threads of all users of all tenants."""

    def __init__(self, containers: Containers, limits: Limits) -> None:
        self._containers, self._limits = containers, limits
        self._clock = Clock()
        self._locks: defaultdict[tuple[str, str], asyncio.Lock] = defaultdict(asyncio.Lock)

    async def read(self, tenant: str, user: str, ids: Sequence[str]) -> dict[str, Thread]:
        """Return a user's threads that exist."""
        found = await self._items(tenant, user, ids)
        threads = await self._containers.run_all(
            self._whole(item) for item in found if item and item["version"]
        )
        return {thread.id: thread for thread in threads}

    async def save(self, tenant: str, user: str, thread: Thread) -> Thread:
        """Save over the version that the thread carries, and no other."""
        async with self._locks[tenant, user]:
            while True:
                item = await self._checked(tenant, user, thread.id, thread.version)
                state = await self._write_state(item, thread.state)
                new = item | state | {"title": thread.title, "version": thread.version + 1}
                with suppress(Conflict, Outdated):
                    await self._put(new | {"changed": self._clock.tick()})
                    await self._delete_parts(tenant, item["stateParts"])
                    return Thread(thread.id, thread.state, thread.version + 1, thread.title)
                await self._delete_parts(tenant, new["stateParts"])

    async def append(
        self, tenant: str, user: str, appends: Sequence[Append]
    ) -> list[ThreadSummary]:
        """Append to a user's threads one after the other, or to none if one of them moved on."""
        async with self._locks[tenant, user]:
            for one in appends:
                item = await self._checked(tenant, user, one.thread_id, one.version)
                kept = item["count"] + len(one.entries)
                check_thread_growth(min(kept, one.keep or kept), self._limits)
            return [await self._append(tenant, user, one) for one in appends]

    async def _append(self, tenant: str, user: str, one: Append) -> ThreadSummary:
        give_up = time.monotonic() + _WAIT
        while time.monotonic() < give_up:
            item = await self._checked(tenant, user, one.thread_id, one.version)
            if item["open"] and item["open"]["until"] > self._containers.clock():
                await asyncio.sleep(_PAUSE)
                continue
            with suppress(Conflict, Outdated):
                item = await self._put(reserved(item, self._containers.clock() + _RESERVED))
                entries = entry_items(item, one.entries)
                await self._containers.run_all(
                    self._containers.upsert(Kind.RECORDS, entry) for entry in entries
                )
                return await self._publish(tenant, user, one, item)
        raise StoreBusy("Others keep appending to this thread.", "Try again.")

    async def _publish(self, tenant: str, user: str, one: Append, item: Item) -> ThreadSummary:
        """Let entries be there; the thread may have been saved since they were reserved."""
        number = item["open"]["number"]
        while True:
            with suppress(Outdated):
                new = await self._put(published(item, one, self._clock))
                await self._drop_oldest(new)
                return summary_of(new)
            item = await self._checked(tenant, user, one.thread_id, one.version)
            if not item["open"] or item["open"]["number"] != number:
                raise Outdated("The entries came too late.", "Append them again.")

    async def _drop_oldest(self, item: Item) -> None:
        """Delete entries that are no longer kept; if that fails, they are only passed over."""
        with suppress(SextantError):
            await self._delete_entries(item, f"c.number <= {item['last'] - item['count']:d}")

    async def entries(
        self, tenant: str, user: str, thread_id: str, part: EntryRange
    ) -> list[ThreadEntry]:
        """Return a page of a user's thread by number."""
        item = await self._containers.read(Kind.RECORDS, tenant, thread_id_of(user, thread_id))
        return await self._page(item, part) if item else []

    async def _page(self, item: Item, part: EntryRange) -> list[ThreadEntry]:
        low = max(part.after, item["last"] - item["count"])
        high = item["last"] + 1 if part.before is None else min(part.before, item["last"] + 1)
        order = "DESC" if part.newest_first else "ASC"
        found = await self._containers.query(
            Kind.RECORDS,
            item["tenant"],
            f"SELECT TOP {part.limit:d} * FROM c WHERE {_ENTRIES} AND c.number > @low "  # noqa: S608
            "AND c.number < @high AND NOT ARRAY_CONTAINS(@dead, c.reservation) "
            f"ORDER BY c.number {order}",
            {
                "tenant": item["tenant"],
                "birth": item["birth"],
                "low": low,
                "high": high,
                "dead": item["dead"],
            },
        )
        return [entry_of(one) for one in found]

    async def page(
        self, tenant: str, user: str, prefix: str, before: int, limit: int
    ) -> list[ThreadSummary]:
        """List a user's threads, the last changed first, of those that changed before a time."""
        found = await self._containers.query(
            Kind.RECORDS,
            tenant,
            f"SELECT TOP {limit:d} * FROM c WHERE {_OWN} AND STARTSWITH(c.threadId, @prefix) "  # noqa: S608
            "AND c.changed < @before ORDER BY c.changed DESC",
            {
                "tenant": tenant,
                "user": user,
                "prefix": prefix,
                "before": f"{min(before, 10**18 - 1):018d}",
            },
        )
        return [summary_of(item) for item in found]

    async def delete(self, tenant: str, user: str, ids: Sequence[str]) -> int:
        """Delete a user's threads, and return how many existed."""
        found = [item for item in await self._items(tenant, user, ids) if item]
        for item in found:
            await self._containers.delete(Kind.RECORDS, tenant, item["id"])
            await self._delete_parts(tenant, item["stateParts"])
            with suppress(SextantError):  # without their thread nobody sees them
                await self._delete_entries(item, "true")
        return sum(item["version"] > 0 for item in found)

    async def everything(self, tenant: str) -> tuple[dict[str, list[Thread]], list[_Told]]:
        """Return every thread by user, and every entry after its user and thread, in order."""
        found = await self._containers.query(
            Kind.RECORDS,
            tenant,
            "SELECT * FROM c WHERE c.tenant = @tenant AND c.kind = 'thread' AND c.version > 0",
            {"tenant": tenant},
        )
        threads: dict[str, list[Thread]] = defaultdict(list)
        told: list[_Told] = []
        for item in sorted(found, key=lambda one: (one["user"], one["threadId"])):
            threads[item["user"]].append(await self._whole(item))
            entries = await self._page(item, EntryRange(limit=self._limits.entries))
            told += ((item["user"], item["threadId"], entry) for entry in entries)
        return threads, told

    async def _items(self, tenant: str, user: str, ids: Sequence[str]) -> list[Item | None]:
        return await self._containers.run_all(
            self._containers.read(Kind.RECORDS, tenant, thread_id_of(user, name))
            for name in dict.fromkeys(ids)
        )

    async def _checked(self, tenant: str, user: str, name: str, version: int | None) -> Item:
        """Return a thread's item, or a new one, if it has the version wanted."""
        item = await self._containers.read(Kind.RECORDS, tenant, thread_id_of(user, name))
        known = item or new_item(tenant, user, name)
        if version is not None and version != known["version"]:
            raise thread_moved_on(known["version"], version)
        if not known["version"]:
            check_thread_room(await self._count(tenant, user), self._limits)
        return known

    async def _count(self, tenant: str, user: str) -> int:
        found = await self._containers.query(
            Kind.RECORDS,
            tenant,
            f"SELECT VALUE COUNT(1) FROM c WHERE {_OWN}",  # noqa: S608
            {"tenant": tenant, "user": user},
        )
        return int(found[0]) if found else 0

    async def _put(self, item: Item) -> Item:
        if "_etag" in item:
            return await self._containers.replace(Kind.RECORDS, item)
        return await self._containers.create(Kind.RECORDS, item)

    async def _whole(self, item: Item) -> Thread:
        thread = thread_of(item)
        parts = await self._containers.run_all(
            self._containers.read(Kind.RECORDS, item["tenant"], name) for name in item["stateParts"]
        )
        texts = [part["text"] for part in parts if part]
        return Thread(thread.id, thread.state + "".join(texts), thread.version, thread.title)

    async def _write_state(self, item: Item, state: str) -> Item:
        """Write what does not fit into the thread's item; return what that is to have."""
        token = secrets.token_hex(8)
        parts = [state[at : at + _PART] for at in range(_PART, len(state), _PART)]
        items = [
            {"id": f"state-{token}-{at}", "tenant": item["tenant"], "kind": "state", "text": text}
            for at, text in enumerate(parts)
        ]
        await self._containers.run_all(self._containers.upsert(Kind.RECORDS, one) for one in items)
        return {"state": state[:_PART], "stateParts": [one["id"] for one in items]}

    async def _delete_parts(self, tenant: str, names: Iterable[str]) -> None:
        with suppress(SextantError):  # nobody names them any more
            for name in names:
                await self._containers.delete(Kind.RECORDS, tenant, name)

    async def _delete_entries(self, item: Item, where: str) -> None:
        found = await self._containers.query(
            Kind.RECORDS,
            item["tenant"],
            f"SELECT c.id FROM c WHERE {_ENTRIES} AND {where}",  # noqa: S608
            {"tenant": item["tenant"], "birth": item["birth"]},
        )
        await self._containers.run_all(
            self._containers.delete(Kind.RECORDS, item["tenant"], one["id"]) for one in found
        )


_Told = tuple[str, str, ThreadEntry]
