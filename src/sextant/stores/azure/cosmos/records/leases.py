"""Leases: one item each, with those who asked for it in the order in which they came."""

from __future__ import annotations

import hashlib
from typing import Any

from sextant.stores.azure.cosmos.containers import Containers, Item
from sextant.stores.azure.cosmos.records.changing import change_item
from sextant.types import Lease

Line = dict[str, Any]


class CosmosLeases:
    """The first in line whose time is not over holds the lease; those behind it wait.

    Times are of the clocks of those who ask, so a lease ends as much early or late as these differ.
    """

    def __init__(self, containers: Containers) -> None:
        self._containers = containers

    async def take(self, tenant: str, name: str, holder: str, seconds: float) -> Lease | None:
        """Get in line, or stay there, and return the lease if it is the holder's turn."""

        clock = self._containers.clock

        def decide(item: Item | None) -> Item:
            line, tokens = _living(item, clock())
            if holder not in line:
                tokens += 1
                line[holder] = {"token": tokens}
            line[holder]["until"] = clock() + seconds
            return {"kind": "lease", "name": name, "line": list(line.items()), "tokens": tokens}

        item = await change_item(self._containers, tenant, _id_of(name), decide)
        line = dict(item["line"]) if item else {}
        if next(iter(line), None) != holder:
            return None
        return Lease(name, holder, line[holder]["token"], len(line) > 1)

    async def release(self, tenant: str, name: str, holder: str) -> None:
        """Leave the line."""

        def decide(item: Item | None) -> Item | None:
            line, tokens = _living(item, self._containers.clock())
            if line.pop(holder, None) is None:
                return None
            return {"kind": "lease", "name": name, "line": list(line.items()), "tokens": tokens}

        await change_item(self._containers, tenant, _id_of(name), decide)


def _living(item: Item | None, now: float) -> tuple[dict[str, Line], int]:
    """Return those in line whose time is not over, and the last token that was given."""
    if item is None:
        return {}, 0
    line = {holder: dict(claim) for holder, claim in item["line"] if claim["until"] > now}
    return line, item["tokens"]


def _id_of(name: str) -> str:
    return f"lease-{hashlib.sha256(name.encode()).hexdigest()[:40]}"
