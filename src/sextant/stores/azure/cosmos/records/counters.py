"""Counters: those in use in one item, so that a call is one compare-and-set; the rest in buckets.

Once there are many in that item they are moved. A bucket says at which version of the item it was
written, and takes no older values: one who moves them late changes nothing.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

from sextant.errors import Conflict, Outdated, SextantError, StoreBusy
from sextant.limits import check_totals
from sextant.stores.azure.cosmos.containers import Containers, Item, Kind
from sextant.stores.azure.cosmos.records.changing import change_item

_ID = "counters"
_BUCKETS = 64
"""With 1,000,000 counters of 60 characters each bucket has 1 MB, of the 2 MB that an item may."""
_MANY = 2_000
"""Counters that are in one item before they are moved: 200 KB of what is written with each call."""
_TRIES = 50
"""Rounds until it is given up: each is one that another process won."""

Decide = Callable[[dict[str, int]], dict[str, int] | None]


class CosmosCounters:
    """The counters of tenants; numbers stand as texts, since JSON has 53 bits of them."""

    def __init__(self, containers: Containers) -> None:
        self._containers = containers
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def read(self, tenant: str, names: Iterable[str]) -> dict[str, int]:
        """Return the counters' values; one never counted is 0."""
        item = await self._containers.read(Kind.RECORDS, tenant, _ID)
        return await self._values(tenant, item, list(names))

    async def all_values(self, tenant: str) -> dict[str, int]:
        """Return every counter that was counted."""
        found = await self._containers.query(
            Kind.RECORDS,
            tenant,
            "SELECT c.id, c.counters FROM c WHERE c.tenant = @tenant AND c.kind = 'counters'",
            {"tenant": tenant},
        )
        found.sort(key=lambda item: bool(item["id"] == _ID))  # what is in use goes before buckets
        return {name: int(text) for item in found for name, text in item["counters"].items()}

    async def add(self, tenant: str, increments: Mapping[str, int]) -> dict[str, int]:
        """Add to counters, all or none, and return their new values."""

        def decide(values: dict[str, int]) -> dict[str, int]:
            totals = {name: values[name] + step for name, step in increments.items()}
            check_totals(totals)
            return totals

        return await self._change(tenant, list(increments), decide) or {}

    async def put(self, tenant: str, name: str, value: int, over: int) -> bool:
        """Set a counter if it still has the value that it is set over; say whether it had."""

        def decide(values: dict[str, int]) -> dict[str, int] | None:
            return {name: value} if values[name] == over else None

        return await self._change(tenant, [name], decide) is not None

    async def _change(self, tenant: str, names: list[str], decide: Decide) -> dict[str, int] | None:
        async with self._locks[tenant]:
            for _ in range(_TRIES):
                item = await self._containers.read(Kind.RECORDS, tenant, _ID)
                new = decide(await self._values(tenant, item, names))
                if new is None:
                    return None
                with suppress(Conflict, Outdated):
                    written = await self._write(tenant, item, new)
                    await self._move_if_many(tenant, written)
                    return new
        raise StoreBusy("Too many count at once.", "Try again.")

    async def _write(self, tenant: str, item: Item | None, new: Mapping[str, int]) -> Item:
        texts = {name: str(value) for name, value in new.items()}
        if item is None:
            first = {"id": _ID, "tenant": tenant, "kind": "counters", "version": 1}
            return await self._containers.create(Kind.RECORDS, first | {"counters": texts})
        changed = {"counters": item["counters"] | texts, "version": item["version"] + 1}
        return await self._containers.replace(Kind.RECORDS, item | changed)

    async def _values(self, tenant: str, item: Item | None, names: list[str]) -> dict[str, int]:
        own: dict[str, str] = item["counters"] if item else {}
        missing = [name for name in names if name not in own] if item and item.get("moved") else []
        ids = sorted({_bucket_of(name) for name in missing})
        buckets = await self._containers.run_all(
            self._containers.read(Kind.RECORDS, tenant, one) for one in ids
        )
        moved = {name: text for one in buckets if one for name, text in one["counters"].items()}
        return {name: int(own.get(name) or moved.get(name) or 0) for name in names}

    async def _move_if_many(self, tenant: str, item: Item) -> None:
        """Move all counters to their buckets; where that fails, they stay where they are."""
        if len(item["counters"]) <= _MANY:
            return
        parts: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for name, text in item["counters"].items():
            parts[_bucket_of(name)][name] = text
        with suppress(SextantError):
            for one, own in parts.items():
                await self._fill(tenant, one, own, item["version"])
            emptied = item | {"counters": {}, "moved": True, "version": item["version"] + 1}
            await self._containers.replace(Kind.RECORDS, emptied)

    async def _fill(self, tenant: str, bucket: str, own: dict[str, str], version: int) -> None:
        def decide(item: Item | None) -> Item | None:
            if item and item["version"] >= version:
                return None
            counters = (item["counters"] if item else {}) | own
            return {"kind": "counters", "counters": counters, "version": version}

        await change_item(self._containers, tenant, bucket, decide)


def _bucket_of(name: str) -> str:
    number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:2]) % _BUCKETS
    return f"counters-{number}"
