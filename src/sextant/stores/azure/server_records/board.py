"""The board: one item that all servers write who number jobs, let them wait or claim them.

What is decided over several jobs is written on the board first, by its etag, together with the one
item that changes: so of two servers that decide at once, one does and the other looks again. Who
finds a change on the board carries it out before anything else, also for a server that died after
it had written it there. A change names the etag of what it was decided over; once the item has
another one, the change is carried out or void, and stays so.
"""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from sextant.errors import Conflict, Outdated, StoreBusy
from sextant.stores.azure.cosmos.containers import Containers, Item, Kind
from sextant.stores.azure.cosmos.records.changing import change_item
from sextant.stores.azure.server_records.partition import SERVERS, record_id

_KIND = "server-board"
_ID = record_id(_KIND)
_TRIES = 50
"""Rounds until it is given up: each is one that another server won, so somebody gets on."""
_PAUSE = 0.05
"""Seconds at most before the next round, by chance; a round is about three calls of 5 ms."""
_MOST_TURNS = 1_000
"""Tenants whose last turn is remembered; one that had none for longer comes first again."""


@dataclass(frozen=True, slots=True)
class Decision:
    """An item as it is to become, with the etag of what it was; and the tenant whose turn it is."""

    item: Item
    turn: str = ""


Decide = Callable[[list[str]], Awaitable[Decision | None]]
"""Looks at what there is, and at the tenants that had a turn, the last at the end."""


class Board:
    """Decides one thing after the other, for all servers."""

    def __init__(self, containers: Containers) -> None:
        self._containers = containers
        self._lock = asyncio.Lock()
        self._settled = ""

    async def next_number(self) -> int:
        """Return a number higher than all before."""

        def decide(board: Item | None) -> Item:
            known = board or _NEW
            return known | {"numbers": known["numbers"] + 1}

        board = await change_item(self._containers, SERVERS, _ID, decide)
        return int(board["numbers"]) if board else 0

    async def change(self, decide: Decide) -> Item | None:
        """Carry out what a function decides, which nobody decided otherwise meanwhile.

        None is returned if it decides nothing.
        """
        async with self._lock:
            for _ in range(_TRIES):
                board = await self._containers.read(Kind.RECORDS, SERVERS, _ID)
                await self._settle(board)
                decision = await decide(board["turns"] if board else [])
                if decision is None:
                    return None
                with suppress(Conflict, Outdated):
                    if done := await self._settle(await self._write(board, decision)):
                        return done
                await asyncio.sleep(random.uniform(0, _PAUSE))  # noqa: S311 - no secret
        raise StoreBusy("Too many change the jobs at once.", "Try again.")

    async def _write(self, board: Item | None, decision: Decision) -> Item:
        known = board or _NEW
        turns: list[str] = known["turns"]
        if decision.turn:
            turns = [*(one for one in turns if one != decision.turn), decision.turn]
        change = {"token": secrets.token_hex(8), "item": decision.item}
        new = known | {"turns": turns[-_MOST_TURNS:], "document": change}
        if board is None:
            return await self._containers.create(Kind.RECORDS, new)
        return await self._containers.replace(Kind.RECORDS, new)

    async def _settle(self, board: Item | None) -> Item | None:
        """Carry out the change on the board; return the item if it was, by whomever."""
        change = board["document"] if board else None
        if change is None or change["token"] == self._settled:
            return None
        new = change["item"] | {"change": change["token"]}
        item = await self._containers.read(Kind.RECORDS, SERVERS, new["id"])
        if item and item["_etag"] == new["_etag"]:
            try:
                item = await self._containers.replace(Kind.RECORDS, new)
            except Outdated:
                item = await self._containers.read(Kind.RECORDS, SERVERS, new["id"])
        self._settled = change["token"]
        return item if item and item.get("change") == change["token"] else None


_NEW: Item = {
    "id": _ID,
    "tenant": SERVERS,
    "kind": _KIND,
    "numbers": 0,
    "turns": [],
    "document": None,
}
