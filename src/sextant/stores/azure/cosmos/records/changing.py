"""Changing one item that others change too: read, decide, replace over the etag, and again."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

from sextant.errors import Conflict, Outdated, StoreBusy
from sextant.stores.azure.cosmos.containers import Containers, Item, Kind

_TRIES = 50
"""Rounds until it is given up: each is one that another writer won, so somebody gets on."""
_PAUSE = 0.02
"""Seconds at most before the next round, by chance, so that rivals do not meet again."""


async def change_item(
    containers: Containers,
    tenant: str,
    item_id: str,
    decide: Callable[[Item | None], Item | None],
    known: Item | None = None,
) -> Item | None:
    """Let a function say what an item becomes of what it is; None leaves it as it is.

    What is known of the item may be old: then the first round is in vain, and the next one reads.
    """
    item = known or await containers.read(Kind.RECORDS, tenant, item_id)
    for _ in range(_TRIES):
        new = decide(item)
        if new is None:
            return item
        full = {**new, "id": item_id, "tenant": tenant}
        try:
            if item is None:
                return await containers.create(Kind.RECORDS, full)
            return await containers.replace(Kind.RECORDS, {**full, "_etag": item["_etag"]})
        except (Conflict, Outdated):
            await asyncio.sleep(random.uniform(0, _PAUSE))  # noqa: S311 - no secret
        item = await containers.read(Kind.RECORDS, tenant, item_id)
    raise StoreBusy("Too many change the same record at once.", "Try again.")
