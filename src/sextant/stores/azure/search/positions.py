"""Where the index stands, agreed on by all processes: AI Search alone could not say.

Its documents have no versions to compare and set. So every change has a random number. What the
change leaves is described in a row of that number, and the number of the last change is a counter
beside the truth, which is set over the one before: of two changes to the same position one fails.
No row is written twice, so whoever is late replaces nothing.
"""

from __future__ import annotations

import asyncio
import json
import math
import secrets
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from sextant.errors import InvalidInput, Outdated
from sextant.ports import Records
from sextant.stores.azure.search.client import SearchConnection
from sextant.stores.azure.search.definition import KEY
from sextant.stores.azure.search.keys import encode_key
from sextant.stores.dump import INDEX_COUNTERS
from sextant.text.codec.decode import loads, shaped
from sextant.text.codec.encode import plain_of
from sextant.types import IndexPosition, Scope

_NUMBERS = 2**52
"""Counters hold whole numbers up to 2**53."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 1.0
"""Seconds between two looks at what cannot be found yet: the service takes one to three."""
_LOST = "lost"


@dataclass(frozen=True, slots=True)
class Mark:
    """A position, the number of the change that led to it, and how that change can be looked for.

    ``keys`` are some rows that it wrote. ``documents`` are those whose other rows it drops; None
    are all of them.
    """

    position: IndexPosition = field(default_factory=IndexPosition)
    change: int = 0
    keys: tuple[str, ...] = ()
    documents: tuple[str, ...] | None = ()


def new_change() -> int:
    """Return a number that no other change has."""
    return 1 + secrets.randbelow(_NUMBERS)


class Positions:
    """The marks of all tenants: the last number is with the records, what it stands for a row."""

    def __init__(self, connection: SearchConnection, records: Records) -> None:
        self._connection, self._records = connection, records
        self._counter = f"{INDEX_COUNTERS}{connection.settings.search_index}"
        self._known: dict[str, Mark] = {}
        self._asked: dict[str, float] = {}

    async def recent(self, scope: Scope) -> Mark:
        """Return the last mark as it was no longer ago than azure.fresh_seconds."""
        asked = self._asked.get(scope.tenant, -math.inf)
        if time.monotonic() - asked < self._connection.settings.fresh_seconds:
            return self._known[scope.tenant]
        return await self.read(scope)

    async def read(self, scope: Scope) -> Mark:
        """Return the last mark as it is now; one whose row cannot be found any more is lost."""
        change = 0
        async for _ in until_late(self._connection.settings.lag_seconds):
            asked = time.monotonic()
            change = (await self._records.counters(scope, [self._counter]))[self._counter]
            known = self._known.get(scope.tenant, Mark())
            if change == known.change:
                return self._note(scope, known, asked)
            row = await self._connection.look_up(_key(scope, change))
            mark = _mark_in(row["passage"]) if row else None
            if mark:
                return self._note(scope, mark, asked)
        return Mark(IndexPosition(history=_LOST), change)

    async def move(self, scope: Scope, over: Mark, to: Mark) -> None:
        """Set the next mark if the last one is still there, or raise Outdated."""
        text = json.dumps(plain_of(to), ensure_ascii=False)
        await self._connection.write([{KEY: _key(scope, to.change), "passage": text}])
        asked = time.monotonic()
        if not await self._records.set_counter(scope, self._counter, to.change, over.change):
            self._asked.pop(scope.tenant, None)
            await self._connection.drop([_key(scope, to.change)])
            raise Outdated("The index has changed since.", "Ask what it holds, and try again.")
        self._note(scope, to, asked)
        if over.change:
            await self._connection.drop([_key(scope, over.change)])

    def _note(self, scope: Scope, mark: Mark, asked: float) -> Mark:
        if mark.change:  # whoever guesses names of tenants leaves nothing here
            self._known[scope.tenant], self._asked[scope.tenant] = mark, asked
        return mark


def _key(scope: Scope, change: int) -> str:
    return encode_key("position", scope.tenant, f"{change:x}")


def _mark_in(text: str) -> Mark | None:
    try:
        return shaped(Mark, loads(text))
    except InvalidInput:
        return None


async def until_late(seconds: float) -> AsyncIterator[None]:
    """Yield at once and after growing pauses, until so many seconds are over."""
    loop, pause = asyncio.get_running_loop(), _FIRST_PAUSE
    late = loop.time() + seconds
    yield
    while loop.time() < late:
        await asyncio.sleep(min(pause, max(0.0, late - loop.time())))
        pause = min(2 * pause, _LONGEST_PAUSE)
        yield
